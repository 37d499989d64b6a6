// Shows the value under the pointer, or under the arrow keys. Without this script, browsers show titles instead.
"use strict";

for (const chart of document.querySelectorAll("[data-chart]")) {
  const marks = [...chart.querySelectorAll("[data-value]")];
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("role", "status");
  chart.append(tip);
  chart.tabIndex = 0;
  chart.setAttribute("role", "group");
  chart.setAttribute("aria-label", `${chart.dataset.chart}: arrow keys read the values`);
  let at = -1;

  function show(mark) {
    marks[at]?.classList.remove("on");
    at = marks.indexOf(mark);
    mark.classList.add("on");
    tip.textContent = mark.dataset.value;
    tip.hidden = false;
    const frame = chart.getBoundingClientRect();
    const place = (mark.querySelector(".point") ?? mark).getBoundingClientRect();
    const middle = place.left + place.width / 2 - frame.left - tip.offsetWidth / 2;
    const left = Math.min(Math.max(middle, 0), Math.max(frame.width - tip.offsetWidth, 0));
    tip.style.left = `${left}px`;
    tip.style.top = `${place.top - frame.top - tip.offsetHeight - 8}px`;
  }

  function hide() {
    marks[at]?.classList.remove("on");
    tip.hidden = true;
  }

  for (const mark of marks) {
    mark.querySelector("title")?.remove();
    mark.removeAttribute("title");
    mark.addEventListener("pointerenter", () => show(mark));
  }
  // A finger leaves with every tap: then the value stays until the next tap elsewhere.
  chart.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && hide());
  document.addEventListener("pointerdown", (event) => !chart.contains(event.target) && hide());
  chart.addEventListener("blur", hide);
  chart.addEventListener("focus", () => chart.matches(":focus-visible") && show(marks[at < 0 ? 0 : at]));
  chart.addEventListener("keydown", (event) => {
    const last = marks.length - 1;
    const next = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last }[event.key];
    if (event.key === "Escape") hide();
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    show(marks[Math.min(Math.max(next, 0), last)]);
  });
}
