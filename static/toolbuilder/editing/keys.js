// The editor's keys: those of CodeMirror, and ours, which are events that bubble from the text area.
import {
  acceptCompletion,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
  defaultKeymap,
  EditorView,
  historyKeymap,
  indentWithTab,
  keymap,
  lintKeymap,
  Prec,
  previousDiagnostic,
  searchKeymap,
} from "codemirror";
import { applyFixAtCursor } from "toolbuilder/editing/diagnostics.js";
import { useKeys } from "web/shortcuts.js";

const KEYS = useKeys("editor");
const EVENTS = {
  [KEYS.run]: "editor:run",
  [KEYS.save]: "editor:save",
  [KEYS.publish]: "editor:publish",
  [KEYS.format]: "editor:format",
  [KEYS.rename]: "editor:rename",
  [KEYS.card]: "editor:card",
};
const LEAVING_MS = 10_000;

/** All keys; `emit(name)` sends an event. */
export function keysOf(emit) {
  return [
    Prec.highest(keymap.of(Object.entries(EVENTS).map(([keys, name]) => eventKey(named(keys), () => emit(name))))),
    keymap.of([
      { key: "Tab", run: acceptCompletion },
      { key: named(KEYS.lastFault), run: previousDiagnostic },
      { key: named(KEYS.fix), run: applyFixAtCursor },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...lintKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...defaultKeymap,
      indentWithTab,
    ]),
    EditorView.domEventHandlers({ keyup: leaveByTab }),
  ];
}

/** Keys as CodeMirror writes them. */
function named(keys) {
  return keys.replaceAll("+", "-");
}

function eventKey(key, send) {
  // Stopped here: buttons of the page with the same shortcut would do it twice.
  return { key, preventDefault: true, stopPropagation: true, run: (view) => closeCompletion(view) | send() || true };
}

function leaveByTab(event, view) {
  if (event.key === "Escape") {
    view.setTabFocusMode(LEAVING_MS);
  }
  return false;
}
