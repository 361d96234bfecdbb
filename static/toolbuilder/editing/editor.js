// The editor of a tool's logic: takes a text area's place and keeps its value.
import {
  autocompletion,
  bracketMatching,
  closeBrackets,
  Compartment,
  completionStatus,
  drawSelection,
  dropCursor,
  EditorState,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSelectionMatches,
  highlightSpecialChars,
  history,
  indentOnInput,
  lineNumbers,
  lintGutter,
  nextDiagnostic,
  search,
  startCompletion,
} from "codemirror";
import { applyFirstFix, Diagnostics } from "toolbuilder/editing/diagnostics.js";
import { acceptNames, insertName } from "toolbuilder/editing/insertion.js";
import { keysOf } from "toolbuilder/editing/keys.js";
import { completionsOf, extendWithLanguage } from "toolbuilder/editing/language.js";
import { Schema } from "toolbuilder/editing/schema.js";
import { ReplacedTextarea } from "toolbuilder/editing/textarea.js";
import { watchPauses } from "toolbuilder/editing/typing.js";

const DEFAULTS = {
  language: "sql",
  dialect: "postgresql",
  schema: {},
  loadColumns: null,
  coming: null,
  parameters: [],
  functions: [],
  methods: [],
  constants: [],
  keywords: [],
  snippets: [],
  readOnly: false,
  nonce: "",
  pauseMs: 350,
  phrases: {},
  onChange: () => {},
  onAnalyse: () => {},
  onExplain: () => {},
};
// From a letter to the list of names: so long that letters that come at once ask once.
const TYPED_MS = 10;
// `phrases` may give each of these, and any phrase of CodeMirror, in the reader's language.
const PHRASES = { leave: "Press Escape, then Tab, to leave the editor.", line: "Line", explain: "Explain" };

/**
 * An Editor in the place of the text area `element`.
 *
 * `language`: "sql", "python" or "json"; `dialect`: a name of dialects.js; `schema`, `loadColumns`: see Schema; `coming`: settles when a schema
 * that is on its way was given to configure(), or failed; `parameters`: [{name,
 * type, description}]; `functions`, `methods`: [{name, signature, comment}], `constants`: [{name, comment}] and `keywords`: [text] of
 * Python; `snippets`: [{label, detail, text, languages}]; `nonce` of the content policy; `onChange(text)` after each change; `onAnalyse(text)` after each pause of `pauseMs`;
 * `onExplain(rule, box, view)` when a finding's rule is asked for. The text area sends the events editor:run, editor:save and editor:publish, which bubble.
 */
export function createEditor(element, options = {}) {
  return new Editor(element, { ...DEFAULTS, ...options });
}

class Editor {
  constructor(textarea, options) {
    const frame = document.createElement("div");
    frame.className = "code-editor";
    this.settings = { ...options, schema: new Schema(options.schema, options.loadColumns) };
    this.texts = { ...PHRASES, ...options.phrases };
    this.place = new ReplacedTextarea(textarea, frame);
    this.completions = completionsOf(() => this.settings);
    this.language = new Compartment();
    this.editable = new Compartment();
    this.status = this.addNote(frame, "errors", "");
    this.status.setAttribute("role", "status");
    this.hint = this.addNote(frame, "hint", this.texts.leave);
    this.diagnostics = new Diagnostics(this.status, this.texts, (...asked) => this.settings.onExplain(...asked));
    this.view = new EditorView({ parent: frame, doc: textarea.value, extensions: this.extensions() });
    this.place.follow({ focus: () => this.focus(), reset: () => this.setText(textarea.value) });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  /** Replaces the whole text; one step of undo. */
  setText(text) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  /** Puts the statement into form, one step of undo; false where that cannot be done. */
  async format() {
    const { formatStatement } = await import("toolbuilder/editing/asked/formatting.js");
    const { text } = this;
    const formatted = formatStatement(text, this.settings.dialect);
    if (formatted === null) {
      return false;
    }
    // Only blanks differ: the cursor stays after as many letters.
    const anchor = skipLetters(formatted, text.slice(0, this.view.state.selection.main.head).replace(/\s/gu, "").length);
    this.view.dispatch({ changes: { from: 0, to: text.length, insert: formatted }, selection: { anchor }, scrollIntoView: true });
    return true;
  }

  /** Puts a name where the cursor is, or in place of what is selected; the cursor goes `back` from its end. */
  insertAtCursor(text, back = 0) {
    const { from, to } = this.view.state.selection.main;
    insertName(this.view, text, from, to);
    if (back) {
      this.view.dispatch({ selection: { anchor: this.view.state.selection.main.head - back } });
    }
  }

  /** Shows the server's findings (see Diagnostics); false when `text`, which they are about, is not the text any more. */
  showDiagnostics(found, text) {
    return this.diagnostics.show(this.view, found, text);
  }

  /** Goes to the next finding and shows it, as F8 does. */
  showNextDiagnostic() {
    this.view.focus();
    return nextDiagnostic(this.view);
  }

  /** Mends the first finding that has a fix. */
  applyFirstFix() {
    return applyFirstFix(this.view);
  }

  /** Changes options: language, dialect, schema (with loadColumns), parameters, functions, methods, constants, keywords, readOnly. */
  configure(options) {
    const { settings } = this;
    const schema = "schema" in options ? new Schema(options.schema, options.loadColumns ?? settings.loadColumns) : settings.schema;
    this.settings = { ...settings, ...options, schema };
    const isOther = (...names) => names.some((name) => this.settings[name] !== settings[name]);
    // What completions read is read when they are asked for; only what is drawn is built anew.
    const effects = [
      ...(isOther("readOnly") ? [this.editable.reconfigure(this.editableExtension())] : []),
      ...(isOther("language", "dialect", "parameters") ? [this.language.reconfigure(this.languageExtension())] : []),
    ];
    if (effects.length) {
      this.view.dispatch({ effects });
    }
    if (isOther("schema") && completionStatus(this.view.state) === "active") {
      // The list that is open was made without these names; one that is being made finds them.
      startCompletion(this.view);
    }
  }

  focus() {
    this.view.focus();
  }

  /** Gives the place back to the text area. */
  destroy() {
    this.view.destroy();
    this.place.release();
  }

  addNote(frame, kind, text) {
    const note = document.createElement("p");
    note.id = `${this.place.textarea.id || this.place.textarea.name}-${kind}`;
    note.className = "visually-hidden";
    note.textContent = text;
    frame.append(note);
    return note;
  }

  languageExtension() {
    return extendWithLanguage(this.settings, this.completions);
  }

  editableExtension() {
    return EditorState.readOnly.of(this.settings.readOnly);
  }

  extensions() {
    return [
      this.settings.nonce ? EditorView.cspNonce.of(this.settings.nonce) : [],
      EditorState.phrases.of(this.settings.phrases),
      EditorView.contentAttributes.of(this.place.attributes([this.status.id, this.hint.id])),
      keysOf((name) => this.emit(name)),
      this.language.of(this.languageExtension()),
      this.editable.of(this.editableExtension()),
      this.diagnostics.extension,
      EDITING,
      EditorView.updateListener.of((update) => update.docChanged && this.keepValue()),
      watchPauses((text) => this.settings.onAnalyse(text), this.settings.pauseMs),
    ];
  }

  keepValue() {
    const { text } = this;
    this.place.textarea.value = text;
    this.settings.onChange(text);
  }

  emit(name) {
    this.place.textarea.dispatchEvent(new CustomEvent(name, { bubbles: true, detail: { text: this.text } }));
  }
}

const EDITING = [
  lineNumbers(),
  lintGutter(),
  highlightActiveLineGutter(),
  highlightSpecialChars(),
  history(),
  drawSelection(),
  dropCursor(),
  EditorState.allowMultipleSelections.of(true),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  autocompletion({
    icons: false,
    maxRenderedOptions: 80,
    activateOnTypingDelay: TYPED_MS,
    optionClass: ({ type }) => `cm-option-${type ?? "text"}`,
  }),
  highlightActiveLine(),
  highlightSelectionMatches(),
  search({ top: true }),
  EditorView.lineWrapping,
  acceptNames,
];

function skipLetters(text, count) {
  let at = 0;
  for (let left = count; left > 0; at += 1) {
    left -= /\S/.test(text[at]) ? 1 : 0;
  }
  return at;
}
