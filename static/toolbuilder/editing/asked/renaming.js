// Gives a parameter another name everywhere at once: in the logic, in its row and in the request; one step of undo.
import { invertedEffects, pythonLanguage, StateEffect, EditorView } from "codemirror";
import { readTokens } from "toolbuilder/editing/lexer.js";
import { isForInputMethod } from "web/shortcuts.js";

const NAME = /^[\p{L}\p{Nl}_][\p{L}\p{N}_]*$/u;
const renamed = StateEffect.define();

/** Places of the parameter `name` as {from, to}, names alone without what marks them. */
export function placesOf(name, text, language, dialect) {
  return language === "python" ? namesIn(text).filter((place) => place.name === name) : parametersIn(text, dialect).filter((place) => place.name === name);
}

/** The parameter that the cursor is on, among `names`; "" where there is none. */
export function parameterAt(position, names, text, language, dialect) {
  const places = language === "python" ? namesIn(text) : parametersIn(text, dialect);
  const found = places.find(({ from, to }) => from - 1 <= position && position <= to);
  return found && names.includes(found.name) ? found.name : "";
}

function parametersIn(text, dialect) {
  const found = readTokens(text, dialect).filter(({ kind }) => kind === "parameter");
  return found.map(({ from, to, name }) => {
    const written = text.slice(from, to);
    const inside = written.startsWith("{{") ? written.slice(2, -2).trim() : written.slice(1);
    const start = from + written.indexOf(inside);
    return { name, from: start, to: start + inside.length };
  });
}

/** Names of Python that are read or set; attributes and named arguments are something else. */
function namesIn(text) {
  const found = [];
  pythonLanguage.parser.parse(text).iterate({
    enter: ({ name, from, to, node }) => {
      const isArgument = node.parent?.name === "ArgList" && node.nextSibling?.name === "AssignOp";
      if (name === "VariableName" && !isArgument) {
        found.push({ name: text.slice(from, to).normalize("NFKC"), from, to });
      }
    },
  });
  return found;
}

/** Asks for the new name and gives it; `follow(old, name)` is told of it, and of each undo and redo. */
export class Renaming {
  constructor(editor, follow) {
    this.editor = editor;
    this.box = document.getElementById("rename");
    this.input = this.box.querySelector("input");
    const effects = [
      invertedEffects.of((transaction) => renamesIn(transaction).map(({ old, name }) => renamed.of({ old: name, name: old }))),
      EditorView.updateListener.of(({ transactions }) => transactions.flatMap(renamesIn).forEach(({ old, name }) => follow(old, name))),
    ];
    editor.view.dispatch({ effects: StateEffect.appendConfig.of(effects) });
    this.input.addEventListener("keydown", (event) => this.press(event));
    this.input.addEventListener("input", () => this.complain(""));
    this.box.addEventListener("toggle", ({ newState }) => newState === "closed" && this.back?.focus());
  }

  /** Opens beside `anchor`, a rectangle; the focus goes back to `back`. `others` are names that are taken. */
  ask(old, others, anchor, back) {
    Object.assign(this, { old, others, back });
    this.box.querySelector("label").textContent = this.box.dataset.label.replace("{name}", () => old);
    this.complain("");
    this.input.value = old;
    this.box.showPopover();
    const { offsetWidth, offsetHeight } = this.box;
    this.box.style.left = `${Math.max(8, Math.min(anchor.left, innerWidth - offsetWidth - 8))}px`;
    this.box.style.top = `${Math.max(8, Math.min(anchor.bottom + 4, innerHeight - offsetHeight - 8))}px`;
    this.input.select();
    this.input.focus();
  }

  press(event) {
    if (event.key === "Enter" && !isForInputMethod(event)) {
      event.preventDefault();
      this.give(this.input.value.trim().normalize("NFKC"));
    }
  }

  give(name) {
    const { text, settings } = this.editor;
    const isTaken = this.others.includes(name) || placesOf(name, text, settings.language, settings.dialect).length > 0;
    if (name !== this.old && (!NAME.test(name) || isTaken)) {
      this.complain(NAME.test(name) ? "taken" : "form");
      return;
    }
    this.box.hidePopover();
    if (name !== this.old) {
      const places = placesOf(this.old, text, settings.language, settings.dialect);
      const changes = places.map(({ from, to }) => ({ from, to, insert: name }));
      this.editor.view.dispatch({ changes, effects: renamed.of({ old: this.old, name }), userEvent: "input.rename" });
    }
  }

  complain(fault) {
    const text = fault ? this.box.dataset[fault] : "";
    this.box.querySelector("[role=alert]").textContent = text;
    this.input.ariaInvalid = String(Boolean(text));
  }
}

function renamesIn({ effects }) {
  return effects.filter((effect) => effect.is(renamed)).map(({ value }) => value);
}
