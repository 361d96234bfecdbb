// When a text is ready to be analysed: typing has stopped, no list of completions is open, no syllable is being composed.
// Typing over a selection: the browser would copy its style into an attribute, which the content policy refuses aloud.
import { EditorView, ViewPlugin, completionStatus } from "codemirror";

// What is typed is not kept waiting longer by a list that stays open.
const MOST_HELD_BACK_MS = 2_000;

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

/** Calls `onPause(text)` once for each pause of `pauseMs` after a change. */
export function watchPauses(onPause, pauseMs) {
  const plugin = ViewPlugin.fromClass(
    class {
      constructor(view) {
        this.view = view;
        this.isWaiting = false;
        this.lastChange = 0;
        this.timer = 0;
      }

      update(update) {
        this.isWaiting ||= update.docChanged;
        this.lastChange = update.docChanged ? Date.now() : this.lastChange;
        if (this.isWaiting && (update.docChanged || this.wasHeldBack(update))) {
          this.restart();
        }
      }

      wasHeldBack({ startState, state }) {
        return completionStatus(startState) !== null && completionStatus(state) === null;
      }

      restart() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.finish(), pauseMs);
      }

      finish() {
        const { view } = this;
        if (view.composing || view.compositionStarted) {
          return;
        }
        if (completionStatus(view.state) !== null && Date.now() - this.lastChange < MOST_HELD_BACK_MS) {
          this.restart();
          return;
        }
        this.isWaiting = false;
        onPause(view.state.doc.toString());
      }

      continueAfterComposition() {
        if (this.isWaiting) {
          this.restart();
        }
      }

      destroy() {
        clearTimeout(this.timer);
      }
    },
  );
  const observer = EditorView.domEventObservers({
    compositionend: (_event, view) => view.plugin(plugin)?.continueAfterComposition(),
  });
  return [plugin, observer];
}
