// The editor's page: the text, what is saved of it, what the server says of it, and the tables beside it.
import { watchFindings } from "toolbuilder/editing/diagnostics.js";
import { createEditor } from "toolbuilder/editing/editor.js";
import { readSchema, startExplorer } from "toolbuilder/editing/explorer.js";
import { watchRequest } from "toolbuilder/editing/http.js";
import { watchKinds } from "toolbuilder/editing/kinds.js";
import { keepTyping } from "toolbuilder/editing/merging.js";
import { watchParameters } from "toolbuilder/editing/parameters.js";
import { watchPlaces } from "toolbuilder/editing/places.js";
import { Saving } from "toolbuilder/editing/saving.js";
import { watchSplitters } from "toolbuilder/editing/splitters.js";
import { typeOverSelections } from "toolbuilder/editing/typing.js";
import { isFocusFree } from "web/focus.js";
import { isPressed, useKeys } from "web/shortcuts.js";
import { showToast } from "web/toast.js";

const KEYS = useKeys("editor");
const SHORTCUTS = { "editor:run": "run", "editor:save": "save", "editor:publish": "publish", "editor:format": "format" };

class Workbench {
  constructor(form) {
    this.form = form;
    this.isEditable = form.dataset.editable === "true";
    this.explorer = document.getElementById("explorer");
    // They come while the rest is made.
    this.loadSchema(form.elements.data_source.value);
    this.saving = new Saving(form, { isEditable: this.isEditable });
    this.editor = this.createEditor();
    this.parameters = "";
    this.found = [];
    this.failure = null;
    typeOverSelections(this.editor.view);
    keepTyping(this.saving);
    watchFindings(this.saving);
    this.request = watchRequest(form, this.saving, this.editorOptions());
    watchKinds(form, this.editor, { onSource: (name) => this.showSource(name) });
    this.rows = watchParameters(this.saving, { rename: (name, box, back) => this.rename(name, box, back) });
    watchPlaces(this.editor);
    watchSplitters(document.getElementById("panes"));
    this.watch();
    this.startExplorer();
    this.keepFocus();
    this.noteTypedBefore();
    this.showFirst(readJson("analysis"));
  }

  /** What the page brought, behind the first picture of the text, unless an answer came or something was typed before. */
  showFirst(analysis) {
    const { text } = this.editor;
    const showIt = () => {
      if (this.saving.answeredText === null && this.editor.text === text) {
        this.show(analysis);
      }
    };
    requestAnimationFrame(() => setTimeout(showIt));
  }

  /** What was typed before the scripts were there is saved and analysed like what comes after. */
  noteTypedBefore() {
    const touched = [...this.form.elements].filter(isTouched);
    if (touched.length) {
      this.saving.forget();
      touched.forEach((field) => field.dispatchEvent(new Event("input", { bubbles: true })));
    }
  }

  /** A new tool begins with its logic; what a dialog or an answer took the focus from gives it to the logic too. */
  keepFocus() {
    const focus = () => isFocusFree() && !document.querySelector("dialog[open]") && this.editor.view.focus();
    if (this.isEditable && !this.form.elements.name.value) {
      focus();
    }
    for (const name of ["tool:published", "tool:switched"]) {
      document.addEventListener(name, () => setTimeout(focus));
    }
  }

  createEditor() {
    const { form } = this;
    return createEditor(document.getElementById("definition"), {
      ...this.editorOptions(),
      coming: this.coming,
      language: form.elements.tool_type.value === "PYTHON" ? "python" : "sql",
      dialect: form.elements.data_source.selectedOptions[0]?.dataset.engine || "postgresql",
      onChange: () => this.saving.note(),
      onAnalyse: () => this.saving.schedule(0),
    });
  }

  /** What all editors of the page have. */
  editorOptions() {
    const { dataset } = this.form;
    return {
      ...readJson("python-data"),
      parameters: readJson("declared-parameters") ?? [],
      snippets: readJson("snippets") ?? [],
      readOnly: !this.isEditable,
      nonce: document.querySelector("script[nonce]")?.nonce ?? "",
      phrases: { leave: dataset.leave, line: dataset.line, explain: dataset.explain },
      onExplain: (rule, box, back) => this.explain(rule, box, back),
    };
  }

  watch() {
    for (const [event, id] of Object.entries(SHORTCUTS)) {
      document.addEventListener(event, () => document.getElementById(id)?.click());
    }
    document.addEventListener("editor:insert", ({ detail }) => this.isEditable && this.editor.insertAtCursor(detail.text, detail.back));
    document.getElementById("format").addEventListener("click", ({ currentTarget: { dataset } }) => this.format(dataset.refused));
    const { view } = this.editor;
    view.contentDOM.addEventListener("pointermove", async (event) => (await this.openHovering()).follow(event), { once: true });
    document.addEventListener("editor:card", async () => (await this.openHovering()).show(view.state.selection.main.head, { takesFocus: true }));
    document.addEventListener("click", (event) => {
      const link = event.target.closest("[data-explains]");
      if (link && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        this.explain(link.dataset.explains, link.getBoundingClientRect(), link);
      }
    });
    document.addEventListener("editor:rename", () => this.renameAtCursor());
    document.addEventListener("htmx:after:swap", () => this.read(document.getElementById("told")));
    document.addEventListener("keydown", (event) => {
      // Inside of the editor CodeMirror does it.
      if (isPressed(event, KEYS.nextFault) && !event.defaultPrevented) {
        event.preventDefault();
        this.editor.showNextDiagnostic();
      }
    });
    document.addEventListener("tool:failed", ({ detail }) => this.mark(detail));
    document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
      if (ctx.target?.id === "result" && this.failure) {
        this.failure = null;
        this.showFound(this.editor.text);
      }
    });
    document.addEventListener("tool:moved", ({ detail }) => follow(detail));
    document.addEventListener("tool:switched", ({ detail }) => this.followSwitch(detail));
    const name = this.form.elements.name;
    const title = document.getElementById("shown-name");
    name.addEventListener("input", () => (title.textContent = name.value || title.dataset.unnamed));
  }

  async format(refused) {
    if (this.isEditable && this.form.elements.tool_type.value === "SQL" && !(await this.editor.format())) {
      showToast("info", refused);
    }
    this.editor.focus();
  }

  /** Cards of names in the logic, from the first time that somebody may want one. */
  async openHovering() {
    const { Hovering } = await import("toolbuilder/editing/asked/hovering.js");
    const { nameCard: address, columnCard: label } = this.explorer.dataset;
    return (this.hovering ??= new Hovering(this.editor, { address, label, readSource: () => this.form.elements.data_source.value }));
  }

  /** The rule behind a fault, an example, and where it is documented, beside `box`. */
  async explain(rule, box, back) {
    const { showExplanation } = await import("toolbuilder/editing/asked/explaining.js");
    showExplanation(this.form.dataset.explanations.replace(/rule\/$/, `${rule}/`), box, { label: this.form.dataset.explain, back });
  }

  async renameAtCursor() {
    const { parameterAt } = await import("toolbuilder/editing/asked/renaming.js");
    const { text, view, settings } = this.editor;
    const { head } = view.state.selection.main;
    const name = parameterAt(head, this.rows.names, text, settings.language, settings.dialect);
    if (name) {
      this.rename(name, view.coordsAtPos(head), view);
    }
  }

  /** Asks for another name of the parameter, beside `box`. */
  async rename(name, box, back) {
    const { Renaming } = await import("toolbuilder/editing/asked/renaming.js");
    if (this.isEditable) {
      this.renaming ??= new Renaming(this.editor, (old, now) => {
        this.request.rename(old, now);
        this.rows.follow(old, now);
      });
      this.renaming.ask(name, this.rows.names.filter((each) => each !== name), box, back);
    }
  }

  /** What an answer says of the text, once. */
  read(told) {
    if (told && told !== this.told) {
      this.told = told;
      const { analysis, ...more } = JSON.parse(told.textContent);
      this.show(analysis, more);
    }
  }

  /** Shows the findings of the text; those of a parameter stand in its row. */
  show(analysis, { parameters = null, text = null } = {}) {
    // Nobody is blamed for what is not begun.
    const isBegun = this.editor.text.trim() !== "";
    const found = analysis.diagnostics.filter(({ parameter, to }) => isBegun && (!parameter || to > 0));
    if (text === null || text === [...this.editor.text].length) {
      this.found = found;
      this.showFound(this.saving.answeredText ?? this.editor.text);
    }
    const written = JSON.stringify(parameters);
    if (parameters && written !== this.parameters) {
      this.parameters = written;
      this.editor.configure({ parameters });
      this.request.configure({ parameters });
    }
  }

  /** A run of a script that ended at a line; it is marked until the text or the next run is another. */
  mark({ line, message, rule }) {
    const { text, view } = this.editor;
    const { from, to } = view.state.doc.line(Math.min(line, view.state.doc.lines));
    this.failure = { text, finding: { from, to, message, rule } };
    this.showFound(text);
  }

  showFound(text) {
    const failed = this.failure?.text === text ? [this.failure.finding] : [];
    this.editor.showDiagnostics([...this.found, ...failed], text);
  }

  /** The menu offers the way back, and the state of the tool comes with the next check. */
  /** The tool was put into service or out of it, or archived or brought back. */
  followSwitch({ field, value }) {
    for (const button of document.querySelectorAll(`#tool-menu [name=${field}]`)) {
      button.hidden = button.value === value;
    }
    document.querySelector("#tool-menu details").open = false;
    this.saving.save({ isAsked: true });
  }

  startExplorer() {
    const tables = startExplorer(this.explorer, { insert: (text) => this.isEditable && this.editor.insertAtCursor(text) });
    tables.follow(this.editor.text);
    document.addEventListener("tool:analysed", () => tables.follow(this.editor.text));
    for (const toggle of document.querySelectorAll(".drawer-toggle")) {
      watchDrawer(toggle, document.getElementById(toggle.getAttribute("aria-controls")));
    }
  }

  showSource(name) {
    this.explorer.dispatchEvent(new CustomEvent("explorer:source", { detail: { name } }));
    this.loadSchema(name);
  }

  loadSchema(name) {
    this.coming = this.takeSchema(name);
    this.editor?.configure({ coming: this.coming });
  }

  async takeSchema(name) {
    try {
      const schema = await readSchema(this.explorer, name);
      if (this.form.elements.data_source.value === name) {
        this.editor.configure(schema);
      }
    } catch {
      // Completion goes without names of tables; the explorer says what is wrong.
    }
  }
}

/** A pane that a narrow window has no room for: the button opens it, and so does the focus; Escape closes it. */
function watchDrawer(toggle, pane) {
  const open = (isOpen) => {
    toggle.ariaExpanded = String(isOpen);
    pane.classList.toggle("open", isOpen);
  };
  toggle.addEventListener("click", () => {
    open(!pane.classList.contains("open"));
    if (pane.classList.contains("open")) {
      pane.querySelector("input:not([type=hidden]), textarea")?.focus({ preventScroll: true });
    }
  });
  pane.addEventListener("focusin", () => toggle.checkVisibility() && open(true));
  pane.addEventListener("keydown", ({ key }) => {
    if (key === "Escape" && pane.classList.contains("open")) {
      open(false);
      toggle.focus();
    }
  });
  document.getElementById("logic").addEventListener("focusin", ({ target }) => target !== toggle && open(false));
}

/** A tool that was published under a name has another address, and so have all actions of this page. */
function follow({ old, new: address }) {
  for (const name of ["action", "formaction", "href", "hx-get", "hx-post"]) {
    for (const element of document.querySelectorAll(`[${name}^="${CSS.escape(old)}"]`)) {
      element.setAttribute(name, address + element.getAttribute(name).slice(old.length));
    }
  }
  document.title = document.title.replace(/^.*(?= · )/, () => document.getElementById("shown-name").textContent);
}

/** Whether a person changed the field since the page came. */
function isTouched(field) {
  if (field.type === "select-one") {
    return field.selectedOptions[0] !== ([...field.options].find((option) => option.defaultSelected) ?? field.options[0]);
  }
  return field.type !== "hidden" && (field.value !== (field.defaultValue ?? field.value) || field.checked !== field.defaultChecked);
}

function readJson(id) {
  return JSON.parse(document.getElementById(id)?.textContent || "null");
}

const form = document.getElementById("workbench");
if (form) {
  new Workbench(form);
}
