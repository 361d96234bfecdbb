// <details data-menu> closes on Escape, on a choice, and on a click elsewhere.

/** Closes menus when people are done with them. */
export function watchMenus() {
  document.addEventListener("click", (event) => {
    for (const menu of openMenus()) {
      if (!menu.contains(event.target)) {
        menu.open = false;
      }
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      for (const menu of openMenus()) {
        menu.open = false;
        menu.querySelector("summary").focus();
      }
    }
  });
}

function openMenus() {
  return document.querySelectorAll("details[data-menu][open]");
}
