// The request of an HTTP tool: rows that grow, when each value is sent, the editors of body and expression, the field to keep.
import { createEditor } from "toolbuilder/editing/editor.js";

const NAME = /\{([\p{L}_][\p{L}\p{N}_.-]*)\}/gu;
const READING = "GET";
// What a method says of a tool, as the server has it; a person who said something else keeps it.
const HINTS = {
  GET: ["true", "false", "true"],
  POST: ["false", "false", "false"],
  PUT: ["false", "false", "true"],
  PATCH: ["false", "false", "false"],
  DELETE: ["false", "true", "true"],
};

/** Follows the fields of the request; `options` are those of every editor of the page. */
export function watchRequest(form, saving, options) {
  const request = document.getElementById("http-request");
  const changes = {};
  let editors = [];
  // Most tools send no request, and need no more than the one editor.
  const openEditors = () => {
    if (form.elements.tool_type.value === "HTTP" && !editors.length) {
      editors = [...request.querySelectorAll("textarea[data-language]")].map((textarea) =>
        createEditor(textarea, {
          ...options,
          ...changes,
          language: textarea.dataset.language,
          onChange: () => noteChange(textarea, saving),
        }),
      );
    }
  };
  let method = form.elements["http-method"].value;
  request.addEventListener("input", ({ target }) => {
    if (target.closest("[data-rows]")) {
      growRows(target.closest("tbody"));
    }
    showSent(request);
  });
  form.addEventListener("change", ({ target }) => {
    if (target.name === "http-method") {
      followMethod(form, method, target.value);
      method = target.value;
    } else if (target.name === "tool_type") {
      paintPath(path);
      openEditors();
    } else if (target.name === "service") {
      document.getElementById("http-base").textContent = target.selectedOptions[0].dataset.address ?? "";
    }
  });
  document.addEventListener("click", ({ target }) => {
    const field = target.closest("[data-keep-path]");
    if (field) {
      keep(form, field.dataset.keepPath);
    }
    const secret = target.closest("[data-secret]");
    if (secret) {
      const row = request.querySelector('[data-part="headers"] tbody').lastElementChild;
      const [name, value] = row.querySelectorAll("input");
      value.value = secret.dataset.secret;
      value.dispatchEvent(new Event("input", { bubbles: true }));
      name.focus();
    }
  });
  document.getElementById("http-operations-search")?.addEventListener("input", ({ target }) => filterOperations(target.value));
  document.addEventListener("htmx:after:swap", () => showSent(request));
  const path = document.getElementById("http-path");
  path.addEventListener("input", () => paintPath(path));
  path.addEventListener("scroll", () => (path.previousElementSibling.scrollLeft = path.scrollLeft));
  if (form.elements.tool_type.value === "HTTP") {
    paintPath(path);
  }
  openEditors();
  showSent(request);
  return {
    /** A parameter of the request has another name. */
    rename(old, name) {
      const put = (text) => text.replaceAll(`{${old}}`, () => `{${name}}`);
      for (const field of request.querySelectorAll("input[type=text], input:not([type])")) {
        field.value = put(field.value);
      }
      editors.filter(({ text }) => text !== put(text)).forEach((editor) => editor.setText(put(editor.text)));
    },
    configure(changed) {
      Object.assign(changes, changed);
      editors.forEach((editor) => editor.configure(changed));
    },
  };
}

function noteChange(textarea, saving) {
  if (textarea.id === "http-body" && textarea.value && !textarea.form.elements["http-body-kind"].value) {
    textarea.form.elements["http-body-kind"].value = "json";
  }
  saving.schedule(350);
}

/** The last row is always an empty one. */
function growRows(body) {
  const last = body.lastElementChild;
  if ([...last.querySelectorAll("input")].some(({ value }) => value)) {
    const row = last.cloneNode(true);
    row.querySelectorAll("input").forEach((input) => (input.value = ""));
    row.querySelector("[data-sent]").textContent = "";
    body.append(row);
  }
}

/** Says of each row when it is sent; parameters are what the server last said of them. */
function showSent(request) {
  const known = document.getElementById("http-sent");
  for (const row of request.querySelectorAll("[data-rows] tbody tr")) {
    const [name, value] = row.querySelectorAll("input");
    const names = [...value.value.matchAll(NAME)].map((match) => match[1]);
    const words = names.map((one) => known.querySelector(`[data-name="${CSS.escape(one)}"]`)?.textContent ?? "");
    const isEmpty = !name.value && !value.value;
    row.querySelector("[data-sent]").textContent = isEmpty ? "" : names.length ? words.sort((a, b) => b.length - a.length)[0] : known.dataset.fixed;
    value.classList.toggle("has-name", names.length > 0);
    value.classList.toggle("has-secret", value.value.includes("{secret:"));
  }
}

/** The path with its parameters in their colour, below the field. */
function paintPath(field) {
  const shown = field.previousElementSibling;
  const pieces = field.value.split(/(\{[^{}/]+\})/).filter(Boolean);
  shown.replaceChildren(...pieces.map((text) => (text.startsWith("{") ? Object.assign(document.createElement("b"), { textContent: text }) : text)));
  shown.scrollLeft = field.scrollLeft;
}

/** Leaves the operations that have every word; a group without one goes with its head. */
function filterOperations(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  for (const group of document.querySelectorAll(".http-operation-group")) {
    const buttons = [...group.querySelectorAll("button")];
    buttons.forEach((button) => (button.hidden = !words.every((word) => button.dataset.words.toLowerCase().includes(word))));
    group.hidden = buttons.every(({ hidden }) => hidden);
  }
}

function followMethod(form, before, method) {
  document.querySelector("[data-reads]").hidden = method !== READING;
  document.querySelector("[data-writes]").hidden = method === READING;
  const selects = ["readOnlyHint", "destructiveHint", "idempotentHint"].map((hint) => form.elements[`annotation-${hint}`]);
  if (selects.every((select, place) => select && ["", HINTS[before][place]].includes(select.value))) {
    selects.forEach((select, place) => (select.value = HINTS[method][place]));
  }
}

function keep(form, path) {
  const { elements } = form;
  elements["http-keep-kind"].value = "path";
  elements["http-keep-path"].value = path;
  elements["http-keep-path"].dispatchEvent(new Event("change", { bubbles: true }));
}
