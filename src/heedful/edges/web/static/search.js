// Searches while one types. Without this script, the form does the same with its button.
"use strict";

const form = document.querySelector("form[data-search]");
let waiting;
let asked;

function address() {
  const chosen = [...new FormData(form)].filter(([, value]) => value !== "");
  return `${form.getAttribute("action")}?${new URLSearchParams(chosen)}`;
}

async function search() {
  asked?.abort();
  asked = new AbortController();
  const wanted = address();
  try {
    const answer = await fetch(wanted, { signal: asked.signal });
    if (!answer.ok || answer.redirected) return window.location.assign(wanted); // signed out meanwhile
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const id of ["told", "found"]) document.getElementById(id).replaceChildren(...page.getElementById(id).childNodes);
    window.history.replaceState(null, "", wanted);
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
}

form.addEventListener("input", () => {
  window.clearTimeout(waiting);
  waiting = window.setTimeout(search, 150);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  window.clearTimeout(waiting);
  search();
});
