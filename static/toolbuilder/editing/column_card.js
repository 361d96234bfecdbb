// A card beside a column of the explorer: by a click, after a moment under the pointer, or by Alt+Enter.
import { isPressed, useKeys } from "web/shortcuts.js";

const KEYS = useKeys("explorer");
const PAUSE_MS = 400;
const GAP_PX = 8;

/** Shows the cards of the rows [data-card] in `root`; they leave by Escape, or with the pointer. */
export function watchColumnCards(root) {
  new ColumnCards(root);
}

/** A card over the page, after `element`, of that name; it stays while the pointer is on it, and Escape closes it. */
export class Card {
  constructor(element, label) {
    this.element = document.createElement("div");
    this.element.className = "column-card";
    this.element.popover = "manual";
    this.element.role = "dialog";
    this.element.tabIndex = -1;
    this.element.ariaLabel = label;
    this.back = null;
    this.place = () => element.after(this.element);
    this.element.addEventListener("pointerenter", () => clearTimeout(this.timer));
    this.element.addEventListener("pointerleave", () => !this.stays && this.wait(() => this.hide()));
    this.element.addEventListener("keydown", (event) => event.key === "Escape" && this.close(event));
  }

  /** Does `act` after the pause, unless something else comes before it. */
  wait(act) {
    clearTimeout(this.timer);
    this.timer = setTimeout(act, PAUSE_MS);
  }

  /** Shows a text of HTML or a node beside or below the rectangle; `back` has the focus when it is closed. One that `stays` does not leave with the pointer. */
  show(content, { top, right, bottom, left }, { back, isBelow = false, stays = false }) {
    Object.assign(this, { back, stays });
    if (!this.element.isConnected) {
      this.place();
    }
    if (typeof content === "string") {
      this.element.innerHTML = content;
    } else {
      this.element.replaceChildren(content);
    }
    this.element.showPopover();
    const { offsetWidth, offsetHeight } = this.element;
    const above = bottom + GAP_PX + offsetHeight > innerHeight ? top - offsetHeight - GAP_PX : bottom + GAP_PX / 2;
    const x = isBelow ? left : right + GAP_PX;
    const y = isBelow ? above : top;
    this.element.style.left = `${Math.max(GAP_PX, Math.min(x, innerWidth - offsetWidth - GAP_PX))}px`;
    this.element.style.top = `${Math.max(GAP_PX, Math.min(y, innerHeight - offsetHeight - GAP_PX))}px`;
  }

  hide() {
    clearTimeout(this.timer);
    this.back = null;
    if (this.element.isConnected) {
      this.element.hidePopover();
    }
  }

  close(event) {
    event.preventDefault();
    event.stopPropagation();
    this.back?.focus();
    this.hide();
  }
}

class ColumnCards {
  constructor(root) {
    this.card = new Card(root, root.dataset.columnCard);
    root.addEventListener("pointerover", (event) => event.pointerType === "mouse" && this.wait(event.target.closest("[data-card]")));
    root.addEventListener("click", (event) => this.click(event));
    root.addEventListener("pointerleave", () => this.card.wait(() => this.hide()));
    root.addEventListener("keydown", (event) => this.press(event));
    root.addEventListener("dragstart", () => this.hide());
    root.addEventListener("scroll", () => this.hide(), true);
    root.addEventListener("input", () => this.hide());
    // Its row may have gone.
    root.addEventListener("htmx:after:swap", () => this.row?.isConnected === false && this.hide());
  }

  wait(row) {
    if (row !== this.row) {
      this.card.wait(() => (row ? this.show(row) : this.hide()));
    }
  }

  click({ target, detail }) {
    const row = target.closest("[data-card]");
    // The second click of a double click inserts the name.
    if (row && detail === 1 && !target.closest("button")) {
      clearTimeout(this.card.timer);
      this.show(row);
    }
  }

  press(event) {
    const row = event.target.closest("[data-card]");
    if (row && isPressed(event, KEYS.card)) {
      event.preventDefault();
      // The pointer, which rests elsewhere, has no say.
      clearTimeout(this.card.timer);
      this.show(row).then(() => this.card.element.focus());
    } else if (event.key === "Escape" && this.card.back) {
      this.card.close(event);
    }
  }

  async show(row) {
    this.row = row;
    const response = await fetch(row.dataset.card, { headers: { "HX-Request": "true" } }).catch(() => null);
    if (response?.ok && this.row === row && row.isConnected) {
      this.card.show(await response.text(), row.getBoundingClientRect(), { back: row });
    }
  }

  hide() {
    this.row = null;
    this.card.hide();
  }
}
