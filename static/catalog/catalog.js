// Texts edited where they stand, and the dialog of scans. Without this the forms have buttons.
import { isForInputMethod } from "web/shortcuts.js";

const TEXT = "[data-inplace] [name='text']";
let refocusKey = "";

function isDirty(field) {
  return field.value !== field.defaultValue;
}

function isSaving(form) {
  return "saving" in form.dataset;
}

function save(field) {
  const form = field.form;
  if (!isDirty(field) || isSaving(form)) {
    return false;
  }
  form.dataset.saving = "";
  field.readOnly = true;
  form.requestSubmit();
  return true;
}

function focusNext(field) {
  const { group } = field.form.dataset;
  const fields = [...document.querySelectorAll(`[data-group="${group}"] [name='text']`)];
  const next = fields[fields.indexOf(field) + 1];
  if (next) {
    next.focus();
    next.setSelectionRange(next.value.length, next.value.length);
    next.scrollIntoView({ block: "nearest" });
  } else {
    refocusKey = field.form.id;
  }
}

/** What a key does in a text: "next", "stay", "back" or nothing of ours. */
function readKey(event, field) {
  const isGrouped = "group" in field.form.dataset;
  if (event.key === "Escape") {
    return isDirty(field) ? "back" : "";
  }
  if (event.key === "Tab") {
    return isGrouped && !event.shiftKey && isDirty(field) ? "next" : "";
  }
  if (event.key !== "Enter" || event.shiftKey) {
    return "";
  }
  if (event.ctrlKey || event.metaKey) {
    return "stay";
  }
  if (isGrouped) {
    return "next";
  }
  return field instanceof HTMLInputElement ? "stay" : "";
}

function obeyKey(event) {
  const field = event.target;
  // Enter also ends a word of an input method; that one is not for us.
  if (!(field instanceof Element) || !field.matches(TEXT) || isForInputMethod(event)) {
    return;
  }
  const wish = readKey(event, field);
  if (!wish) {
    return;
  }
  event.preventDefault();
  if (wish === "back") {
    field.value = field.defaultValue;
    return;
  }
  const isSent = save(field);
  if (wish === "next") {
    focusNext(field);
  } else if (isSent) {
    refocusKey = field.form.id;
  }
}

function release(event) {
  const form = event.detail?.ctx?.sourceElement;
  if (form?.isConnected && form.matches?.("[data-inplace]")) {
    delete form.dataset.saving;
    form.elements.text.readOnly = false;
  }
}

function refocus(event) {
  if (event.detail?.ctx?.target?.id === "table-tags") {
    document.getElementById("add-tag")?.focus();
  }
  const form = refocusKey && document.getElementById(refocusKey);
  if (form && !isSaving(form)) {
    refocusKey = "";
    form.elements.text.focus();
  }
}

function openDialog(event) {
  const opener = event.target.closest?.("[data-opens]");
  const dialog = opener && document.getElementById(opener.dataset.opens);
  if (dialog) {
    event.preventDefault();
    dialog.showModal();
  }
}

function keepUnsaved(event) {
  const fields = [...document.querySelectorAll(TEXT)];
  if (fields.some((field) => isDirty(field) || isSaving(field.form))) {
    event.preventDefault();
  }
}

document.addEventListener("keydown", obeyKey);
document.addEventListener("change", (event) => {
  if (event.target.matches(TEXT)) {
    save(event.target);
  }
});
document.addEventListener("htmx:finally:request", release);
document.addEventListener("htmx:after:swap", refocus);
document.addEventListener("click", openDialog);
window.addEventListener("beforeunload", keepUnsaved);
document.querySelector("dialog[data-watched]")?.showModal();
