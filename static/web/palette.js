// The command palette: Ctrl+K, or Command+K on a Mac, opens it from anywhere.
// An element with `data-palette-action="Label"` is offered under "This page" and is clicked when chosen.
import { isForInputMethod, useKeys } from "web/shortcuts.js";

const LETTER = useKeys("everywhere").palette.at(-1);
const IS_MAC = /^Mac|^iP/.test(navigator.platform);
const STEPS = { ArrowDown: 1, ArrowUp: -1 };
const OPTION = "[role=option]";

let dialog;
let input;
let results;
let active = null;
let chosenEarly = false;

/** Opens it by the keys and by `[data-palette]`; does nothing on pages without it. */
export function watchPalette() {
  dialog = document.getElementById("palette");
  if (!dialog) {
    return;
  }
  input = document.getElementById("palette-input");
  results = document.getElementById("palette-results");
  watchOpening();
  watchResults();
  input.addEventListener("keydown", steer);
  input.addEventListener("input", forget);
}

function watchOpening() {
  // Before an editor or a field can take the keys for itself.
  window.addEventListener("keydown", toggle, true);
  for (const opener of document.querySelectorAll("[data-palette]")) {
    opener.querySelector("kbd").textContent = IS_MAC ? "⌘ K" : "Ctrl K";
    opener.setAttribute("aria-keyshortcuts", IS_MAC ? "Meta+K" : "Control+K");
  }
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-palette]") && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      open();
    }
  });
}

function watchResults() {
  dialog.addEventListener("htmx:after:swap", show);
  results.addEventListener("pointermove", (event) => point(event.target.closest(OPTION)));
  // A click must not take the focus out of the field.
  results.addEventListener("mousedown", (event) => event.target.closest(OPTION) && event.preventDefault());
  results.addEventListener("click", (event) => leave(event.target.closest("a, button")));
  dialog.querySelector("[data-palette-close]").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", forget);
}

function toggle(event) {
  if (!isShortcut(event)) {
    return;
  }
  const others = document.querySelector("dialog:modal:not(#palette)");
  if (!others) {
    event.preventDefault();
    event.stopImmediatePropagation();
    if (dialog.open) {
      dialog.close();
    } else {
      open();
    }
  }
}

function isShortcut(event) {
  const isModified = IS_MAC ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  // Layouts of other scripts have no k; the key of that place is meant.
  const isLetter = event.key.toLowerCase() === LETTER || (event.code === `Key${LETTER.toUpperCase()}` && event.key > "~");
  return isModified && isLetter && !event.altKey && !event.shiftKey && !isForInputMethod(event);
}

function open() {
  input.value = "";
  dialog.showModal();
  input.focus();
  input.dispatchEvent(new Event("palette:open"));
}

function show() {
  listPageActions();
  const options = listOptions();
  options.forEach((option, index) => (option.id = `palette-option-${index}`));
  const told = document.getElementById("palette-count");
  told.textContent = `${told.dataset.label}: ${options.length}`;
  input.setAttribute("aria-expanded", String(options.length > 0));
  results.scrollTop = 0;
  select(options[0] ?? null);
  if (chosenEarly && isUpToDate()) {
    choose({});
  }
}

function listPageActions() {
  const words = fold(input.value).split(" ");
  const found = pageActions().filter(({ label }) => words.every((word) => fold(label).includes(word)));
  if (!found.length) {
    return;
  }
  const group = document.getElementById("palette-page-actions").content.cloneNode(true).firstElementChild;
  const pattern = group.querySelector(OPTION);
  for (const { element, label } of found) {
    group.append(makeOption(pattern, element, label));
  }
  pattern.remove();
  results.querySelector("[role=listbox]").prepend(group);
  results.querySelector("[data-palette-empty]")?.remove();
}

function pageActions() {
  const elements = [...document.querySelectorAll("[data-palette-action]")];
  return elements
    .filter((element) => !element.matches(":disabled, [aria-disabled=true]") && !element.closest("[hidden], dialog"))
    .map((element) => ({ element, label: element.dataset.paletteAction || element.textContent.trim() }));
}

function makeOption(pattern, element, label) {
  const option = pattern.cloneNode(true);
  option.querySelector(".palette-label").textContent = label;
  option.querySelector(".palette-hint").textContent = element.getAttribute("aria-keyshortcuts") ?? "";
  option.addEventListener("click", () => {
    // After the palette is gone: the page may open a dialog of its own, or take the focus.
    dialog.close();
    element.click();
  });
  return option;
}

function steer(event) {
  if (isForInputMethod(event)) {
    return;
  }
  if (event.key in STEPS) {
    event.preventDefault();
    step(STEPS[event.key]);
  } else if (event.key === "Enter") {
    event.preventDefault();
    if (isUpToDate()) {
      choose(event);
    } else {
      chosenEarly = true;
    }
  }
}

function forget() {
  chosenEarly = false;
}

function step(count) {
  const options = listOptions();
  const place = active ? options.indexOf(active) + count : 0;
  select(options[(place + options.length) % options.length] ?? null);
  active?.scrollIntoView({ block: "nearest" });
}

function point(option) {
  if (option && option !== active) {
    select(option);
  }
}

function select(option) {
  active?.setAttribute("aria-selected", "false");
  option?.setAttribute("aria-selected", "true");
  active = option;
  if (option) {
    input.setAttribute("aria-activedescendant", option.id);
  } else {
    input.removeAttribute("aria-activedescendant");
  }
}

/** Whether what is listed answers what is typed; Enter waits for that, and never takes what was there before. */
function isUpToDate() {
  return results.querySelector("[role=listbox]").dataset.query === input.value.trim();
}

function choose({ ctrlKey = false, metaKey = false }) {
  chosenEarly = false;
  active?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey }));
}

function leave(choice) {
  if (!choice) {
    return;
  }
  const { field, value } = choice.dataset;
  // Otherwise it would be open on the way back.
  dialog.close();
  if (field) {
    document.querySelector(`.preferences [name="${field}"][value="${value}"]`).click();
  }
}

function listOptions() {
  return [...results.querySelectorAll(OPTION)];
}

function fold(text) {
  return text.normalize("NFKC").toLowerCase().trim().replace(/\s+/g, " ");
}
