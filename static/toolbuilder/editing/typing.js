// Typing over a selection: the browser would copy its style into an attribute, which the content policy refuses aloud.
import { EditorView } from "codemirror";

/** Lets `view` replace what is selected by itself, as it does for one character anyway. */
export function typeOverSelections(view) {
  view.contentDOM.addEventListener("beforeinput", (event) => {
    const { main, ranges } = view.state.selection;
    const isPlain = event.inputType === "insertText" && event.data && !event.isComposing && !view.composing;
    if (!isPlain || main.empty || ranges.length > 1 || view.state.readOnly) {
      return;
    }
    event.preventDefault();
    const insert = () => view.state.update(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, main.from, main.to, event.data, insert))) {
      view.dispatch(insert());
    }
  });
}
