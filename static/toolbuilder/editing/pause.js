// When a text is ready to be analysed: typing has stopped, no list of completions is open, no syllable is being composed.
import { EditorView, ViewPlugin, completionStatus } from "codemirror";

// What is typed is not kept waiting longer by a list that stays open.
const MOST_HELD_BACK_MS = 2_000;

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
