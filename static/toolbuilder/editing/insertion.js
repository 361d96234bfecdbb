// Names that come from elsewhere: dropped from the explorer or put in at the cursor.
import { EditorView } from "codemirror";

const NAME_TYPE = "application/x-toolbuilder-name";
const WORD = /[\p{L}\p{N}_$"]/u;

/** Makes a drag carry `text`: for the editor as a name, for everything else as plain text. */
export function carryName(dataTransfer, text) {
  dataTransfer.setData(NAME_TYPE, text);
  dataTransfer.setData("text/plain", text);
  dataTransfer.effectAllowed = "copy";
}

/** Puts `text` in place of `from` to `to`, with blanks where it would melt into a word, and the cursor behind it. */
export function insertName(view, text, from, to) {
  const before = view.state.sliceDoc(Math.max(0, from - 1), from);
  const after = view.state.sliceDoc(to, to + 1);
  const glueBefore = WORD.test(before) && WORD.test(text[0] ?? "") ? " " : "";
  const glueAfter = WORD.test(after) && WORD.test(text.at(-1) ?? "") ? " " : "";
  const insert = glueBefore + text + glueAfter;
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + insert.length - glueAfter.length },
    userEvent: "input.drop",
    scrollIntoView: true,
  });
  view.focus();
}

/** Takes names that are dropped; other texts are CodeMirror's. */
export const acceptNames = EditorView.domEventHandlers({
  dragover(event) {
    if (event.dataTransfer?.types.includes(NAME_TYPE)) {
      event.dataTransfer.dropEffect = "copy";
    }
  },
  drop(event, view) {
    const text = event.dataTransfer?.getData(NAME_TYPE);
    if (!text || view.state.readOnly) {
      return false;
    }
    const position = view.posAtCoords({ x: event.clientX, y: event.clientY }, false);
    event.preventDefault();
    insertName(view, text, position, position);
    return true;
  },
});
