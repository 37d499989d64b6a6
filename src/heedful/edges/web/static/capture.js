// The live difference between what an agent made and what a reviewer lets through.
"use strict";

const CONTEXT = 3; // equal lines on either side of a change
const MOST = 2_000_000; // pairs of lines that are compared; beyond, the middle is shown as replaced
const WORD = /[\p{L}\p{N}_]/u;
const form = document.querySelector("#capture");
const [output, approved] = ["#output", "#approved"].map((name) => form.querySelector(name));
const place = document.querySelector("#difference");
const begun = Date.now();
let edited = approved.value !== output.value;
let rejected = false;

function common(a, b) {
  let count = 0;
  while (count < a.length && count < b.length && a[count] === b[count]) count++;
  return count;
}

function ends(a, b) {
  const head = common(a, b);
  const tail = common([...a.slice(head)].reverse(), [...b.slice(head)].reverse());
  return [head, tail];
}

// The longest common subsequence of the lines between the equal ends.
function changes(a, b) {
  if (a.length * b.length > MOST) return [...a.map((line) => ["del", line]), ...b.map((line) => ["ins", line])];
  const width = b.length + 1;
  const best = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      best[i * width + j] =
        a[i] === b[j] ? best[(i + 1) * width + j + 1] + 1 : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
  const found = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      found.push(["span", a[i]]);
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && best[(i + 1) * width + j] >= best[i * width + j + 1])) {
      found.push(["del", a[i++]]);
    } else {
      found.push(["ins", b[j++]]);
    }
  }
  return found;
}

function lines(before, after) {
  const [a, b] = [before, after].map((text) => text.replace(/\n$/, "").split("\n"));
  const [head, tail] = ends(a, b);
  const middle = changes(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const same = (line) => ["span", line];
  const first = a.slice(Math.max(0, head - CONTEXT), head).map(same);
  const last = a.slice(a.length - tail, a.length - tail + CONTEXT).map(same);
  return [...more(head - CONTEXT), ...first, ...middle, ...last, ...more(tail - CONTEXT)];
}

const more = (count) => (count > 0 ? [["i", `… ${count} more lines`]] : []);

// The equal ends of two lines, without the halves of words.
function wholeWords(a, b) {
  let [head, tail] = ends(a, b);
  while (head && WORD.test(a[head - 1])) head--;
  while (tail && WORD.test(a[a.length - tail])) tail--;
  return [head, tail];
}

// One line that became one other is marked where they differ.
function marked(rows) {
  const tag = (at) => rows[at]?.[0];
  rows.forEach(([, text], at) => {
    const pair = tag(at) === "del" && tag(at + 1) === "ins" && tag(at - 1) !== "del" && tag(at + 2) !== "ins";
    if (!pair) return;
    const equal = wholeWords([...text], [...rows[at + 1][1]]);
    rows[at].push(...equal);
    rows[at + 1].push(...equal);
  });
  return rows;
}

function element([tag, text, head = 0, tail = 0]) {
  const row = document.createElement(tag);
  const letters = [...text];
  const changed = letters.slice(head, letters.length - tail).join("");
  if (!head && !tail) row.textContent = text;
  else {
    const mark = document.createElement("mark");
    mark.textContent = changed;
    row.append(letters.slice(0, head).join(""), ...(changed ? [mark] : []), letters.slice(letters.length - tail).join(""));
  }
  return row;
}

function show() {
  const differs = approved.value.trim() !== "" && approved.value !== output.value;
  place.replaceChildren();
  if (differs) {
    const box = document.createElement("div");
    box.className = "diff";
    box.append(...marked(lines(output.value, approved.value)).map(element));
    place.append(box);
  }
  choose(differs);
}

function choose(differs) {
  if (rejected) return;
  const changed = form.querySelector("input[value=APPROVED_WITH_CHANGES]");
  if (differs) changed.checked = true;
  else if (changed.checked) changed.checked = false; // to approve it unchanged is for the person to say
}

output.addEventListener("input", () => {
  if (!edited) approved.value = output.value;
  show();
});
approved.addEventListener("input", () => {
  edited = approved.value !== output.value;
  show();
});
form.addEventListener("change", (event) => {
  if (event.target.name === "decision") rejected = event.target.value === "REJECTED";
});
form.addEventListener("submit", () => {
  form.elements.seconds.value = Math.round((Date.now() - begun) / 1000);
});
if (edited && approved.value) show();
