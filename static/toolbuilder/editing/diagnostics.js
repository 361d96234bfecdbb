// What the server says of the text, at its place, with the fixes that it offers.
import { Compartment, EditorView, forEachDiagnostic, setDiagnostics } from "codemirror";

/**
 * Shows the server's findings in one editor and says the errors to assistive technology through `status`, an element that
 * the text is described by.
 */
export class Diagnostics {
  constructor(status, texts, explain) {
    this.explain = explain;
    this.status = status;
    this.texts = texts;
    this.attributes = new Compartment();
  }

  get extension() {
    return this.attributes.of([]);
  }

  /**
   * `found`: [{from, to, severity ("error", "warning", "info"), message, hint, fix: {label, from, to, insert}, rule}], offsets in
   * UTF-16 units of `text`. False, and nothing shown, when the text has changed since: its own answer is on the way.
   */
  show(view, found, text) {
    if (text !== undefined && text !== view.state.doc.toString()) {
      return false;
    }
    const shown = found.map((each) => this.toDiagnostic(each, view.state.doc));
    view.dispatch(setDiagnostics(view.state, shown));
    this.describe(view, shown);
    return true;
  }

  toDiagnostic({ from, to, severity = "error", message, hint, fix, rule }, doc) {
    const start = clamp(from ?? 0, doc.length);
    const end = clamp(Math.max(to ?? start, start), doc.length);
    return {
      from: start,
      to: end,
      severity,
      message: hint ? `${message}\n${hint}` : message,
      renderMessage: () => renderMessage(message, hint),
      isFixed: Boolean(fix),
      actions: [...(fix ? [this.toAction(fix, start, doc)] : []), ...(rule ? [this.toExplanation(rule)] : [])],
    };
  }

  toExplanation(rule) {
    return { name: this.texts.explain, markClass: "cm-explains", apply: (view, from) => this.explain(rule, view.coordsAtPos(from), view) };
  }

  toAction({ label, from, to, insert }, start, doc) {
    const replaced = doc.sliceString(from, to);
    return {
      name: label,
      apply(view, diagnosticFrom) {
        const offset = diagnosticFrom - start;
        const [first, last] = [from + offset, to + offset];
        // What the fix was made for may have been typed over.
        if (view.state.sliceDoc(first, last) === replaced) {
          view.dispatch({
            changes: { from: first, to: last, insert },
            selection: { anchor: first + insert.length },
            userEvent: "input.fix",
            scrollIntoView: true,
          });
        }
        view.focus();
      },
    };
  }

  describe(view, shown) {
    const errors = shown.filter(({ severity }) => severity === "error");
    const line = (from) => view.state.doc.lineAt(from).number;
    const text = errors.map(({ from, message }) => `${this.texts.line} ${line(from)}: ${message.replace("\n", " ")}`).join("\n");
    if (this.status.textContent !== text) {
      this.status.textContent = text;
    }
    const attributes = { "aria-invalid": String(errors.length > 0) };
    view.dispatch({ effects: this.attributes.reconfigure(EditorView.contentAttributes.of(attributes)) });
  }
}

/** Applies the first fix that is offered where the cursor is; false when there is none. */
export function applyFixAtCursor(view) {
  const { from, to } = view.state.selection.main;
  return applyFixBetween(view, from, to);
}

/** Applies the first fix that is offered anywhere; false when there is none. */
export function applyFirstFix(view) {
  return applyFixBetween(view, 0, view.state.doc.length);
}

function applyFixBetween(view, from, to) {
  let found = null;
  forEachDiagnostic(view.state, (diagnostic, start, end) => {
    if (!found && diagnostic.isFixed && start <= to && end >= from) {
      found = { diagnostic, start, end };
    }
  });
  found?.diagnostic.actions[0].apply(view, found.start, found.end);
  return found !== null;
}

function clamp(offset, length) {
  return Math.min(Math.max(offset, 0), length);
}

function renderMessage(message, hint) {
  const element = document.createElement("span");
  element.append(textIn("span", "cm-finding", message));
  if (hint) {
    element.append(textIn("span", "cm-finding-hint", hint));
  }
  return element;
}

function textIn(name, className, text) {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
}

/** Shows `#status` while it is about what the form says; else that this is being checked, or why it is not. */
export function watchFindings(saving) {
  const status = document.getElementById("status");
  const unchecked = document.getElementById("unchecked");
  saving.onChange = () => {
    const { isJudged } = saving;
    status.hidden = !isJudged;
    unchecked.hidden = isJudged;
    const state = saving.state === "failed" ? (saving.failure === "unreachable" ? "unreachable" : "failed") : "checking";
    if (!isJudged && unchecked.dataset.state !== state) {
      unchecked.dataset.state = state;
      unchecked.querySelector("p").textContent = unchecked.dataset[state + "Text"];
    }
  };
}
