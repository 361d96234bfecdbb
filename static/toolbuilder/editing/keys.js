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

const EVENTS = {
  "Mod-Enter": "editor:run",
  "Mod-s": "editor:save",
  "Mod-Shift-Enter": "editor:publish",
  "Shift-Alt-f": "editor:format",
  F2: "editor:rename",
  "Alt-Enter": "editor:card",
};
const LEAVING_MS = 10_000;

/** All keys; `emit(name)` sends an event. */
export function keysOf(emit) {
  return [
    Prec.highest(keymap.of(Object.entries(EVENTS).map(([key, name]) => eventKey(key, () => emit(name))))),
    keymap.of([
      { key: "Tab", run: acceptCompletion },
      { key: "Shift-F8", run: previousDiagnostic },
      { key: "Mod-.", run: applyFixAtCursor },
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
