// Keys for the inbox. Everything they do is a plain form or link, which works without this script too.
"use strict";

document.documentElement.classList.add("scripted");

const cards = () => [...document.querySelectorAll(".proposal")];
const current = () => document.activeElement?.closest(".proposal") ?? document.querySelector(".proposal:target");
const help = document.querySelector("#keys");

function go(step) {
  const all = cards();
  const at = all.indexOf(current());
  const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + step, 0), all.length - 1)];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "nearest" });
}

function unfold(card, act) {
  const found = card.querySelector(`details[data-act="${act}"]`);
  if (!found) return;
  found.open = true;
  const field = found.querySelector("textarea");
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}

function approve(card) {
  const form = card.querySelector('form[data-act="approve"]');
  if (!form) return;
  const button = form.querySelector("button");
  if (card.dataset.lane === "slow") button.focus(); // a second key confirms
  else form.requestSubmit(button);
}

function tell() {
  const count = document.querySelectorAll("input[name=chosen]:checked").length;
  const place = document.querySelector("[data-chosen]");
  if (place) place.textContent = count ? ` (${count})` : "";
}

const keys = {
  j: () => go(1),
  k: () => go(-1),
  a: approve,
  r: (card) => unfold(card, "reject"),
  e: (card) => unfold(card, "edit"),
  x: (card) => card.querySelector("input[name=chosen]")?.click(),
  o: (card) => card.querySelector(".evidence > summary")?.click(),
  "?": () => help?.showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || help?.open) return;
  const typing = event.target.closest("textarea, select, input:not([type=checkbox])");
  if (typing) {
    if (event.key === "Escape") leave(typing);
    return;
  }
  const act = keys[event.key];
  if (!act) return;
  const card = current();
  if (act.length && !card) return;
  event.preventDefault();
  act(card);
});

// Escape folds a form again and keeps what was typed.
function leave(field) {
  const card = field.closest(".proposal");
  const form = field.closest("details.act");
  if (form) form.open = false;
  card?.focus();
}

document.addEventListener("change", tell);
document.querySelector("[data-help]")?.addEventListener("click", () => help?.showModal());
window.addEventListener("pageshow", () => {
  tell();
  document.querySelector(".proposal:target")?.focus({ preventScroll: true });
});
// A form is sent once, however often its button is pressed.
document.addEventListener("submit", (event) => {
  if (event.target.dataset.sent) event.preventDefault();
  else if (event.target.method === "post") event.target.dataset.sent = "yes";
});
window.addEventListener("pageshow", () => document.querySelectorAll("form").forEach((form) => delete form.dataset.sent));
