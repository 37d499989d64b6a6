// Documents: uploads in the list; on the page of one, editing in place, and showing where a value stands.
// Values are plain forms, which work without this script too. What it sends is such a form, and of the page that comes
// back it takes the parts that changed.
"use strict";

document.documentElement.classList.add("scripted");
const $ = (selector, root = document) => root.querySelector(selector);

async function page(address, options = {}) {
  const answer = await fetch(address, { ...options, headers: { Accept: "text/html" } });
  return [answer.ok, new DOMParser().parseFromString(await answer.text(), "text/html")];
}

// ---- Uploads

const upload = $("#upload");

function row(name) {
  const item = document.createElement("li");
  const [title, told, bar] = ["span", "span", "progress"].map((tag) => document.createElement(tag));
  title.textContent = name;
  bar.max = 1;
  bar.value = 0;
  bar.setAttribute("aria-label", `Sending ${name}`);
  told.append(bar);
  item.append(title, told);
  $("#uploads").append(item);
  return { told, bar };
}

function tell(place, text, failed = false) {
  place.textContent = text;
  place.classList.toggle("failed", failed);
}

// Not fetch: only this tells how much was sent.
function send(file, bar) {
  const query = new URLSearchParams({ name: file.name });
  const customer = $("#customer").value.trim();
  if (customer) query.set("customer", customer);
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open("POST", `${upload.dataset.address}?${query}`);
    request.setRequestHeader("Content-Type", "application/pdf");
    request.setRequestHeader("X-CSRF-Token", upload.dataset.csrf);
    request.responseType = "json";
    request.upload.onprogress = (event) => {
      if (event.loaded < event.total) bar.value = event.loaded / event.total;
      else bar.removeAttribute("value"); // sent; now it is read
    };
    request.onload = () => done([request.status, request.response]);
    request.onerror = () => done([0, null]);
    request.send(file);
  });
}

async function receive(file) {
  const { told, bar } = row(file.name);
  const limit = Number(upload.dataset.limit);
  if (file.size > limit) {
    tell(told, `The file is larger than ${Math.floor(limit / 1048576)} MB. Send a smaller file, or split it.`, true);
    return null;
  }
  const [status, answer] = await send(file, bar);
  if (status !== 201) {
    const why = answer?.detail ? `${answer.detail} ${answer.hint ?? ""}` : "The server did not answer. Try again.";
    tell(told, why, true);
    return null;
  }
  const link = document.createElement("a");
  link.href = answer.address;
  link.textContent = "Open the draft";
  told.replaceChildren(`${answer.fields} fields, ${answer.lines} lines. `, link);
  return answer.address;
}

async function receiveAll(files) {
  const done = [];
  for (const file of files) done.push(await receive(file));
  const good = done.filter(Boolean);
  $("#uploads-told").textContent = `${good.length} of ${done.length} files were read.`;
  if (done.length === 1 && good.length === 1) location.assign(good[0]);
  else if (good.length) {
    const [ok, list] = await page("/documents");
    if (ok) $("#list").replaceChildren(...$("#list", list).childNodes);
  }
}

if (upload) {
  const chosen = $("#files");
  chosen.addEventListener("change", async () => {
    const files = [...chosen.files];
    chosen.value = "";
    await receiveAll(files);
  });
  upload.addEventListener("submit", (event) => event.preventDefault());
  const holds = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!holds(event)) return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dropping");
  });
  document.addEventListener("drop", (event) => {
    if (!holds(event)) return;
    event.preventDefault();
    document.body.classList.remove("dropping");
    receiveAll([...event.dataTransfer.files]);
  });
}

// ---- One document

const paper = $("#paper");
const draft = $("#draft");
const VALUE = "input.v, textarea.v";
let waiting = Promise.resolve(); // one save after the other
let swapping = false;

const isChanged = (input) => input.value !== input.defaultValue;
const isSavedAlone = (input) => input.matches(VALUE) && input.form?.id !== "add";

// The inputs that somebody is still typing in survive when the draft is replaced.
function swap(fresh, sent) {
  const typing = [...draft.querySelectorAll("input, textarea")].filter(
    (input) => input.id && !sent.includes(input) && input.type !== "hidden" && isChanged(input)
  );
  const kept = typing.map((input) => [input.id, input.value]);
  const active = document.activeElement;
  const at = active?.id && draft.contains(active) ? active.id : null;
  const caret = at && active.selectionStart !== undefined ? [active.selectionStart, active.selectionEnd] : null;
  swapping = true;
  for (const part of document.querySelectorAll("[data-live]")) {
    const found = fresh.getElementById(part.id);
    if (found) part.replaceChildren(...found.childNodes);
  }
  if ($("#paper", fresh)?.dataset.page === paper.dataset.page) {
    $("#boxes").replaceChildren(...$("#boxes", fresh).childNodes);
  }
  for (const [id, text] of kept) {
    const input = document.getElementById(id);
    if (input) input.value = text;
  }
  const next = $("#next") ?? (at && document.getElementById(at));
  next?.focus({ preventScroll: true });
  if (caret && next?.matches?.(VALUE)) next.setSelectionRange(...caret);
  swapping = false;
  load();
}

function refused(fresh) {
  const notices = $("#notices", fresh);
  if (notices) $("#notices").replaceChildren(...notices.childNodes);
  else {
    const told = [...fresh.querySelectorAll("main h1 + p, main h1 + p + p")].map((one) => one.textContent);
    warn(told.join(" ") || "The server did not answer as expected. Reload the page.");
  }
}

function warn(text) {
  const notice = document.createElement("div");
  notice.className = "notice bad";
  notice.setAttribute("role", "alert");
  notice.textContent = text;
  $("#notices").replaceChildren(notice);
}

async function post(action, fields, sent) {
  fields.set("page", paper.dataset.page);
  sent.forEach((input) => input.setAttribute("aria-busy", "true"));
  const body = new URLSearchParams(fields);
  const answer = await page(action, { method: "POST", body }).catch(() => null);
  sent.forEach((input) => input.removeAttribute("aria-busy"));
  if (!answer) warn("The server cannot be reached. What you typed is still here: press Enter to try again.");
  else if (answer[0] && $("#draft", answer[1])) swap(answer[1], sent);
  else refused(answer[1]);
}

const queue = (work) => (waiting = waiting.then(work, work));

// One value: the hidden inputs of its form, and itself.
function save(input) {
  if (!isChanged(input) || input.hasAttribute("aria-busy")) return waiting;
  const form = input.form;
  const fields = new FormData();
  for (const one of form.querySelectorAll("input[type=hidden]")) fields.append(one.name, one.value);
  fields.append(input.name, input.value);
  input.setAttribute("aria-busy", "true");
  return queue(() => post(form.action, fields, [input]));
}

function confirmDraft() {
  const form = $("#confirm");
  if ($("button", form)) form.requestSubmit();
}

// What is still being typed, or was refused, must not be confirmed unseen.
function isComplete() {
  const open = [...draft.querySelectorAll(VALUE)].find(isChanged);
  if (open) {
    warn("A value is not saved yet. Press Enter in it to save it, or Esc to take it back.");
    open.focus();
  }
  return !open;
}

function leave(input) {
  input.value = input.defaultValue;
  input.blur();
}

// The same column in the line above or below; in the header, the field before or after.
function move(input, step) {
  const line = input.closest("tr");
  const all = line
    ? [...draft.querySelectorAll(".lines tbody tr")].map((one) => one.children[input.closest("td").cellIndex])
    : [...draft.querySelectorAll(".fields-grid .cell")];
  const next = all[all.indexOf(input.closest(line ? "td" : ".cell")) + step];
  const found = next && $(VALUE, next);
  found?.focus();
  found?.select();
}

// ---- Where a value stands

const box = (id) => [...document.querySelectorAll("#boxes .box")].find((one) => one.dataset.for === id);

function show(value, { scroll = false } = {}) {
  document.querySelectorAll(".box.on").forEach((one) => one.classList.remove("on"));
  if (!value?.id) return;
  const found = box(value.id);
  found?.classList.add("on");
  if (found && scroll) {
    const leaf = $(".leaf");
    const [outer, inner] = [leaf.getBoundingClientRect(), found.getBoundingClientRect()];
    if (inner.top < outer.top || inner.bottom > outer.bottom) leaf.scrollTop += inner.top - outer.top - outer.height / 3;
  }
  if (value.title) $("#inspect").textContent = value.title;
}

async function turn(number) {
  const query = new URLSearchParams(location.search);
  query.set("page", number);
  const [ok, fresh] = await page(`${paper.dataset.address}?${query}`);
  if (!ok || !$("#paper", fresh)) return;
  const told = $("#inspect").textContent;
  paper.dataset.page = $("#paper", fresh).dataset.page;
  paper.replaceChildren(...$("#paper", fresh).childNodes);
  $("#inspect").textContent = told;
  editing(document.activeElement);
}

function editing(element) {
  $("#boxes")?.classList.toggle("picking", Boolean(element?.matches?.(VALUE) && draft.contains(element)));
}

// Words that are clicked or dragged over go into the value that is being edited.
let picked = null;

function pick(word) {
  if (!word?.matches?.(".w") || picked.includes(word)) return;
  picked.push(word);
  word.classList.add("picked");
  document.activeElement.value = picked.map((one) => one.dataset.t).join(" ");
}

// What the next document of this layout will do: tried after the correction is on the page, because it may take a while.
async function load() {
  const place = $("[data-load]");
  if (!place) return;
  const [ok, fresh] = await page(place.dataset.load);
  if (ok && $("#trial", fresh)) place.replaceChildren(...$("#trial", fresh).childNodes);
}

if (draft) {
  document.addEventListener("keydown", (event) => {
    const input = event.target;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (input.matches(VALUE) && isSavedAlone(input)) save(input);
      queue(confirmDraft);
      return;
    }
    if (!input.matches?.(VALUE) || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") leave(input);
    else if (event.key === "Enter" && isSavedAlone(input)) {
      event.preventDefault();
      save(input);
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && input.matches("input")) {
      event.preventDefault();
      move(input, event.key === "ArrowDown" ? 1 : -1);
    }
  });
  document.addEventListener("focusin", async (event) => {
    const value = event.target;
    editing(value);
    if (!value.matches?.(".v")) return;
    if (value.dataset.page && value.dataset.page !== paper.dataset.page) await turn(value.dataset.page);
    if (document.activeElement === value) show(value, { scroll: true });
  });
  document.addEventListener("focusout", (event) => {
    if (swapping) return;
    const input = event.target;
    if (document.activeElement === input) return; // only the window was left, perhaps to look something up
    if (input.matches?.(VALUE) && isSavedAlone(input)) save(input);
    show(null);
    editing(event.relatedTarget);
  });
  document.addEventListener("mouseover", (event) => {
    const over = event.target;
    const found = over.matches(".box") ? document.getElementById(over.dataset.for) : null;
    document.querySelectorAll(".v.lit").forEach((one) => one.classList.remove("lit"));
    found?.classList.add("lit");
    const value = found ?? (over.matches(".v") ? over : null) ?? document.activeElement;
    show(value?.matches(".v") ? value : null);
  });
  paper.addEventListener("pointerdown", (event) => {
    const active = document.activeElement;
    if (active?.matches(VALUE) && draft.contains(active) && event.target.closest("#boxes")) {
      event.preventDefault(); // the value keeps the focus
      if (!event.target.matches(".w")) return;
      picked = [];
      pick(event.target);
    }
  });
  paper.addEventListener("mousedown", (event) => {
    const active = document.activeElement;
    if (active?.matches(VALUE) && draft.contains(active) && event.target.closest("#boxes")) event.preventDefault();
  });
  paper.addEventListener("pointermove", (event) => {
    if (picked) pick(document.elementFromPoint(event.clientX, event.clientY));
  });
  document.addEventListener("pointerup", () => {
    picked?.forEach((word) => word.classList.remove("picked"));
    picked = null;
  });
  paper.addEventListener("click", (event) => {
    const link = event.target.closest("[data-turn]");
    if (link) {
      event.preventDefault();
      turn(link.dataset.turn);
    } else if (event.target.matches(".box")) {
      const value = document.getElementById(event.target.dataset.for);
      value?.focus();
      value?.select?.();
    }
  });
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post" || "whole" in form.dataset || !form.closest("main")) return;
    event.preventDefault();
    const fields = new FormData(form, event.submitter);
    const sent = [...form.elements].filter((one) => one.matches("input:not([type=hidden]), textarea"));
    queue(() => (form.id !== "confirm" || isComplete()) && post(form.action, fields, sent));
  });
  load();
}
