// The page of a review: j and k go from change to change, the number of a line begins a comment on it.
import { isForInputMethod, isPressed, useKeys } from "web/shortcuts.js";

const KEYS = useKeys("review");
const form = document.querySelector("#comment");

document.addEventListener("keydown", (event) => {
  const isWriting = event.target.matches?.("input, textarea, select");
  if (isForInputMethod(event) || isWriting || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  const isNext = isPressed(event, KEYS.next);
  if (isNext || isPressed(event, KEYS.last)) {
    event.preventDefault();
    goTo(isNext ? 1 : -1);
  }
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-line]");
  if (link && form) {
    event.preventDefault();
    write(link.dataset.line);
    form.elements.text.focus();
  } else if (event.target.closest("[data-line-off]")) {
    write("");
    form.elements.text.focus();
  }
});

function goTo(step) {
  const changes = [...document.querySelectorAll("[data-change]")];
  const place = changes.indexOf(document.activeElement);
  const next = place < 0 ? (step > 0 ? 0 : changes.length - 1) : place + step;
  const change = changes[Math.min(Math.max(next, 0), changes.length - 1)];
  change?.focus({ preventScroll: true });
  change?.scrollIntoView({ block: "center" });
}

function write(line) {
  form.elements.line.value = line;
  form.querySelector("[data-line-shown]").textContent = line;
  form.querySelector("#comment-line").hidden = !line;
}
