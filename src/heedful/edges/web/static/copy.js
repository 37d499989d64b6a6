// Copies a text, and reads a file into a field. Without this script, one selects and pastes.
"use strict";

document.documentElement.classList.add("scripted");

async function copied(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea"); // where there is no TLS
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

for (const button of document.querySelectorAll("[data-copy]")) {
  const label = button.textContent;
  button.addEventListener("click", async () => {
    await copied(document.querySelector(button.dataset.copy).textContent);
    button.textContent = "Copied";
    window.setTimeout(() => (button.textContent = label), 2000);
  });
}

for (const input of document.querySelectorAll("[data-into]")) {
  input.addEventListener("change", async () => {
    const file = input.files[0];
    if (file) document.querySelector(input.dataset.into).value = await file.text();
  });
}
