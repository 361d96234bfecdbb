// The playground: Enter sends, Shift+Enter breaks the line, Esc stops, and the newest line stays in view.
import { isPressed, useKeys } from "web/shortcuts.js";

const KEYS = useKeys("playground");
const text = document.querySelector("#ask-text");

text?.addEventListener("keydown", (event) => {
  if (isPressed(event, KEYS.send)) {
    event.preventDefault();
    text.form.requestSubmit();
  }
});

document.addEventListener("keydown", (event) => {
  if (isPressed(event, KEYS.stop) && !document.querySelector("dialog[open], details[data-menu][open]")) {
    document.querySelector("[data-stop] button")?.click();
  }
});

document.addEventListener("htmx:after:swap", (event) => {
  const { sourceElement, response } = event.detail.ctx;
  if (sourceElement?.id === "ask" && response.status < 300) {
    text.value = "";
    // The key is made with the first question; from then on it is known what an agent with it has.
    if (!document.querySelector("#agent[data-counted]")) {
      document.body.dispatchEvent(new Event("playground:asked"));
    }
  }
  if (!sourceElement?.closest?.(".call")) {
    showNewest();
  }
});

showNewest();

function showNewest() {
  const thread = document.querySelector("#thread");
  thread?.scrollTo(0, thread.scrollHeight);
}

// Below 1100 px chat and evaluation are tabs; what is typed stays when one goes from one to the other.
document.addEventListener("click", (event) => {
  const tab = event.target.closest(".playground-tabs a");
  if (tab) {
    event.preventDefault();
    document.querySelector(".playground").dataset.shown = tab.dataset.view;
    for (const other of tab.parentElement.children) {
      other.toggleAttribute("aria-current", false);
    }
    tab.setAttribute("aria-current", "page");
    showNewest();
  }
});
