// Folds the sidebar to its icons and back; the server reads the same cookie for the first byte of the next page,
// and writes it where the person signs in.
import { remember } from "web/remember.js";

const YEAR_S = 365 * 86_400;

/** Makes the button [data-fold-sidebar], and its key, work. */
export function watchSidebar() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-fold-sidebar]");
    if (button) {
      fold(button);
    }
  });
}

function fold(button) {
  const root = document.documentElement;
  const isFolded = root.dataset.sidebar !== "folded";
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `sidebar=${isFolded ? "folded" : ""}; path=/; max-age=${YEAR_S}; samesite=lax${secure}`;
  remember(button.dataset.foldSidebar, { name: "sidebar", value: Number(isFolded) });
  root.dataset.sidebar = isFolded ? "folded" : "";
  button.ariaPressed = String(isFolded);
  for (const link of document.querySelectorAll(".sidebar :is(.navigation a, .palette-button)")) {
    // The words that are hidden now.
    link.title ||= link.querySelector("span").textContent;
  }
}
