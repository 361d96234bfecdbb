// A card of what stands in the logic: under a pointer that rests, or at the cursor by Alt+Enter.
import { syntaxTree } from "codemirror";
import { Card } from "toolbuilder/editing/column_card.js";
import { readTokens } from "toolbuilder/editing/lexer.js";
import { readQuery } from "toolbuilder/editing/query.js";
import { functionsOf, unquoteName } from "toolbuilder/editing/words.js";

const NAMES = new Set(["word", "quotedName"]);

/**
 * Shows cards of the names in `editor`. `address` gives those of the catalogue and of the database's functions; `readSource()` is the
 * name of the data source.
 */
export class Hovering {
  constructor(editor, { address, label, readSource }) {
    Object.assign(this, { editor, address, readSource });
    this.card = new Card(editor.view.dom, label);
    const { contentDOM, scrollDOM } = editor.view;
    contentDOM.addEventListener("pointermove", (event) => event.pointerType === "mouse" && this.follow(event));
    contentDOM.addEventListener("pointerleave", () => this.card.wait(() => this.hide()));
    contentDOM.addEventListener("keydown", (event) => this.press(event));
    scrollDOM.addEventListener("scroll", () => this.hide());
  }

  follow({ clientX: x, clientY: y, buttons }) {
    const position = buttons ? null : this.editor.view.posAtCoords({ x, y });
    const isSame = this.shown && position !== null && position >= this.shown.from && position <= this.shown.to;
    if (!isSame) {
      this.card.wait(() => (position === null ? this.hide() : this.show(position)));
    }
  }

  press(event) {
    if (event.key === "Escape" && this.shown) {
      this.hide();
    } else if (!event.altKey && !["Control", "Shift", "Meta"].includes(event.key)) {
      this.hide();
    }
  }

  /** Shows the card of what stands there; true if there is one. */
  async show(position, { takesFocus = false } = {}) {
    const { settings, text, view } = this.editor;
    const subject = settings.language === "python" ? pythonSubject(view.state, position, settings) : await sqlSubject(text, position, settings);
    if (!subject) {
      this.hide();
      return false;
    }
    this.shown = subject;
    const content = subject.asked ? await this.read(subject) : describe(subject);
    if (!content || this.shown !== subject || this.editor.text !== text) {
      return false;
    }
    const { top, bottom, left, right } = view.coordsAtPos(subject.from) ?? view.dom.getBoundingClientRect();
    this.card.show(content, { top, bottom, left, right }, { back: view, isBelow: true });
    if (takesFocus) {
      this.card.element.focus();
    }
    return true;
  }

  async read({ asked, title, detail }) {
    const asking = new URLSearchParams({ source: this.readSource(), ...asked });
    const response = await fetch(`${this.address}?${asking}`, { headers: { "HX-Request": "true" } }).catch(() => null);
    const text = response?.ok ? (await response.text()).trim() : "";
    return text || (title ? describe({ title, detail }) : null);
  }

  hide() {
    this.shown = null;
    this.card.hide();
  }
}

/** What a name of the statement is: {from, to} with what to ask the server for, or with what is known of it. */
export async function sqlSubject(text, position, { dialect, schema, parameters }) {
  const all = readTokens(text, dialect).filter(({ kind }) => kind !== "comment");
  const index = all.findIndex(({ from, to }) => from <= position && position <= to);
  const token = all[index];
  if (token?.kind === "parameter") {
    return parameterSubject(token, token.name, parameters);
  }
  if (!NAMES.has(token?.kind)) {
    return null;
  }
  const { from, to } = token;
  const nameAt = (at) => (NAMES.has(all[at]?.kind) ? unquoteName(text.slice(all[at].from, all[at].to), dialect) : "");
  const isDot = (at) => all[at] && text.slice(all[at].from, all[at].to) === ".";
  const name = nameAt(index);
  const before = isDot(index - 1) ? nameAt(index - 2) : "";
  if (text[all[index + 1]?.from] === "(" && !before) {
    const known = (schema.functions ?? functionsOf(dialect)).find((each) => each.name === name.toLowerCase());
    return { from, to, asked: { function: name.toLowerCase() }, title: known?.signature };
  }
  const { sources } = readQuery(text, readTokens(text, dialect), position, dialect);
  const tableOf = (source) => (source.columns ? undefined : schema.find(source.name, source.schema));
  const asTable = (table) => table && { from, to, asked: { table: schema.writtenName(table, dialect) } };
  const asColumn = (table) => table && { from, to, asked: { table: schema.writtenName(table, dialect), column: name } };
  if (before) {
    const source = sources.find((each) => (each.alias || each.name) === before);
    return (source ? asColumn(tableOf(source)) : asTable(schema.find(name, before))) ?? null;
  }
  const source = sources.find((each) => each.alias === name || (each.name === name && (isDot(index + 1) || each.from === from)));
  if (source) {
    return asTable(tableOf(source)) ?? null;
  }
  for (const table of sources.map(tableOf).filter(Boolean)) {
    const columns = await schema.columnsOf(table);
    if (columns.some((column) => column.name === name)) {
      return asColumn(table);
    }
  }
  return null;
}

function pythonSubject(state, position, { parameters, functions, methods, constants }) {
  const node = [-1, 1].map((side) => syntaxTree(state).resolveInner(position, side)).find(({ name }) => ["VariableName", "PropertyName"].includes(name));
  if (!node) {
    return null;
  }
  const { from, to } = node;
  const name = state.sliceDoc(from, to).normalize("NFKC");
  const place = { from, to };
  const parameter = node.name === "VariableName" && parameterSubject(place, name, parameters);
  if (parameter) {
    return parameter;
  }
  const found = (node.name === "PropertyName" ? methods : [...functions, ...constants]).find((each) => each.name === name);
  return found ? { ...place, title: found.signature ?? found.name, text: found.comment } : null;
}

function parameterSubject({ from, to }, name, parameters) {
  const known = parameters.find((each) => each.name === name);
  return known ? { from, to, title: name, detail: known.type.toLowerCase().replaceAll("_", " "), text: known.description, isParameter: true } : null;
}

function describe({ title, detail, text, isParameter }) {
  const content = new DocumentFragment();
  const head = put(content, "div", "column-head");
  const name = put(head, "strong", isParameter ? "cm-parameter" : "", title);
  name.classList.toggle("anywhere", true);
  if (detail) {
    put(head, "span", "quiet-text", detail);
  }
  if (text) {
    put(put(content, "div", "small-text"), "p", "", text);
  }
  return content;
}

function put(parent, tag, className, text = "") {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  parent.append(element);
  return element;
}
