// The drawer at the right: the text on a pane, the reference, or the keys of the page. There is one; Escape closes it.
import { fetchPart, showPart } from "toolbuilder/help/fragments.js";
import { showKeys } from "toolbuilder/help/keys.js";
import { watchReference } from "toolbuilder/help/reference.js";

let drawer = null;
let opener = null;
let shown = "";

/** Shows what the address in `data-help` has; the same again closes it. */
export async function open(link) {
  const address = new URL(link.dataset.help, location.href);
  const kind = document.getElementById("logic")?.dataset.kind;
  if (kind) {
    address.searchParams.set("kind", kind);
  }
  if (drawer && shown === address.href) {
    close();
    return;
  }
  const next = await fetchPart(address, "#help-drawer");
  const isInside = drawer?.contains(link);
  drawer?.remove();
  opener = isInside ? opener : link;
  [drawer, shown] = [next, address.href];
  showKeys(drawer);
  watchReference(drawer, close);
  drawer.addEventListener("click", ({ target }) => target.closest("[data-help-close], [data-tour]") && close());
  await showPart(drawer);
  (drawer.querySelector("[autofocus]") ?? drawer).focus();
}

/** Takes it away; the focus goes back to where it was opened. */
function close() {
  const hadFocus = drawer.contains(document.activeElement);
  drawer.remove();
  drawer = null;
  if (hadFocus) {
    const back = opener.checkVisibility() ? opener : document.querySelector("main");
    back.focus();
  }
}

// Captured inside of the drawer, as the page below listens for Escape, too.
document.addEventListener(
  "keydown",
  (event) => {
    if (event.key === "Escape" && drawer?.contains(event.target)) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  },
  true,
);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && drawer && !event.defaultPrevented && !document.querySelector("dialog[open], details[data-menu][open]")) {
    close();
  }
});
