// The editor's page: the text, what is saved of it, what the server says of it, and the tables beside it.
import { createEditor } from "toolbuilder/editor/editor.js";
import { readSchema, startExplorer } from "toolbuilder/workbench/explorer.js";
import { watchKinds } from "toolbuilder/workbench/kinds.js";
import { keepTyping } from "toolbuilder/workbench/merging.js";
import { watchParameters } from "toolbuilder/workbench/parameters.js";
import { watchPlaces } from "toolbuilder/workbench/places.js";
import { Saving } from "toolbuilder/workbench/saving.js";
import { watchSplitters } from "toolbuilder/workbench/splitters.js";
import { typeOverSelections } from "toolbuilder/workbench/typing.js";

const SHORTCUTS = { "editor:run": "run", "editor:save": "save", "editor:publish": "publish" };

class Workbench {
  constructor(form) {
    this.form = form;
    this.isEditable = form.dataset.editable === "true";
    this.explorer = document.getElementById("explorer");
    this.saving = new Saving(form, { isEditable: this.isEditable });
    this.editor = this.createEditor();
    this.parameters = "";
    this.show(readJson("analysis"));
    typeOverSelections(this.editor.view);
    keepTyping(this.saving);
    watchKinds(form, this.editor, { onSource: (name) => this.showSource(name) });
    watchParameters(this.saving);
    watchPlaces(this.editor);
    watchSplitters(document.getElementById("panes"));
    this.watch();
    this.startExplorer();
  }

  createEditor() {
    const { form } = this;
    const python = readJson("python-data") ?? {};
    return createEditor(document.getElementById("definition"), {
      ...python,
      language: form.elements.tool_type.value === "PYTHON" ? "python" : "sql",
      dialect: form.elements.data_source.selectedOptions[0]?.dataset.engine || "postgresql",
      readOnly: !this.isEditable,
      nonce: document.querySelector("script[nonce]")?.nonce ?? "",
      phrases: { leave: form.dataset.leave, line: form.dataset.line },
      onChange: () => this.saving.note(),
      onAnalyse: () => this.saving.schedule(0),
    });
  }

  watch() {
    for (const [event, id] of Object.entries(SHORTCUTS)) {
      document.addEventListener(event, () => document.getElementById(id)?.click());
    }
    document.addEventListener("tool:analysed", ({ detail }) => this.show(detail.analysis, detail));
    document.addEventListener("keydown", (event) => {
      // Inside of the editor CodeMirror does it.
      if (event.key === "F8" && !event.defaultPrevented) {
        event.preventDefault();
        this.editor.showNextDiagnostic();
      }
    });
    const name = this.form.elements.name;
    const title = document.getElementById("shown-name");
    name.addEventListener("input", () => (title.textContent = name.value || title.dataset.unnamed));
  }

  /** Shows the findings of the text; those of a parameter stand in its row. */
  show(analysis, { parameters = null, text = null } = {}) {
    const found = analysis.diagnostics.filter(({ parameter, to }) => !parameter || to > 0);
    if (text === null || text === [...this.editor.text].length) {
      this.editor.showDiagnostics(found, this.saving.answeredText ?? this.editor.text);
    }
    const written = JSON.stringify(parameters);
    if (parameters && written !== this.parameters) {
      this.parameters = written;
      this.editor.configure({ parameters });
    }
  }

  startExplorer() {
    startExplorer(this.explorer, { insert: (text) => this.isEditable && this.editor.insertAtCursor(text) });
    this.loadSchema(this.form.elements.data_source.value);
    const toggle = document.querySelector(".explorer-toggle");
    const open = (isOpen) => {
      toggle.ariaExpanded = String(isOpen);
      this.explorer.classList.toggle("open", isOpen);
    };
    toggle.addEventListener("click", () => open(toggle.ariaExpanded !== "true"));
    this.explorer.addEventListener("keydown", ({ key }) => {
      if (key === "Escape" && this.explorer.classList.contains("open")) {
        open(false);
        toggle.focus();
      }
    });
  }

  showSource(name) {
    this.explorer.dispatchEvent(new CustomEvent("explorer:source", { detail: { name } }));
    this.loadSchema(name);
  }

  async loadSchema(name) {
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

function readJson(id) {
  return JSON.parse(document.getElementById(id)?.textContent || "null");
}

const form = document.getElementById("workbench");
if (form) {
  new Workbench(form);
}
