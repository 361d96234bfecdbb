// Passing words in the corner: successes fade, errors, warnings and `data-stays` stay until they are closed.
const FADE_AFTER_MS = 6_000;
// One with a button, such as Undo, has to be reached by Tab as well.
const OFFER_FADES_AFTER_MS = 20_000;
const STAYS = ["error", "warning"];
let corner;

/** Shows one; `level` is success, info, warning or error. What stays is not said twice: a page that asks every other second would fill with it. */
export function showToast(level, text) {
  if (STAYS.includes(level) && [...corner.querySelectorAll(`.${level} p`)].some(({ textContent }) => textContent === text)) {
    return;
  }
  const toast = document.getElementById("toast-template").content.cloneNode(true).firstElementChild;
  toast.classList.add(level);
  toast.querySelector("p").textContent = text;
  corner.append(toast);
  keepOnTop();
  arrive(toast);
}

/** Shows what the server's `toast` event brings, and gives the page's own their end. */
export function watchToasts() {
  corner = document.getElementById("toasts");
  if (!corner) {
    return;
  }
  for (const toast of corner.children) {
    arrive(toast);
  }
  // These do not bubble.
  document.addEventListener("toggle", keepOnTop, true);
  document.addEventListener("close", keepOnTop, true);
  document.addEventListener("htmx:after:swap", () => {
    keepOnTop();
    // What an answer put into the corner itself, such as a toast with a button.
    for (const toast of corner.querySelectorAll("[data-toast]:not([role])")) {
      arrive(toast);
    }
  });
  corner.addEventListener("click", (event) => {
    if (event.target.closest("[data-toast-close]")) {
      event.target.closest("[data-toast]").remove();
    }
  });
  document.addEventListener("toast", (event) => {
    for (const { level, text } of event.detail.toasts) {
      showToast(level, text);
    }
  });
}

function arrive(toast) {
  const isGrave = STAYS.some((level) => toast.classList.contains(level));
  toast.setAttribute("role", isGrave ? "alert" : "status");
  if (isGrave || "stays" in toast.dataset) {
    return;
  }
  const fadeAfter = toast.querySelector("form") ? OFFER_FADES_AFTER_MS : FADE_AFTER_MS;
  let timer;
  // Who reads or is about to use it has all the time in the world.
  const hold = () => clearTimeout(timer);
  const release = () => {
    hold();
    if (!toast.matches(":hover, :focus-within")) {
      timer = setTimeout(() => toast.remove(), fadeAfter);
    }
  };
  toast.addEventListener("pointerenter", hold);
  toast.addEventListener("pointerleave", release);
  toast.addEventListener("focusin", hold);
  // While focus leaves, it is nowhere.
  toast.addEventListener("focusout", ({ relatedTarget }) => toast.contains(relatedTarget) || release());
  release();
}

// A modal dialog covers the page and makes all outside of itself dead, so the corner lives inside it.
function keepOnTop() {
  const home = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document.body;
  if (corner.parentElement !== home) {
    home.append(corner);
  }
  if (corner.showPopover && corner.childElementCount) {
    corner.popover = "manual";
    if (!corner.matches(":popover-open")) {
      corner.showPopover();
    }
  }
}
