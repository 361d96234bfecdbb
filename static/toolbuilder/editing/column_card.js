// A card beside a column of the explorer: after a moment under the pointer, or by Alt+Enter.

const PAUSE_MS = 400;
const GAP_PX = 8;

/** Shows the cards of the rows [data-card] in `root`; they leave by Escape, or with the pointer. */
export function watchColumnCards(root) {
  new ColumnCards(root);
}

class ColumnCards {
  constructor(root) {
    this.root = root;
    this.card = document.createElement("div");
    this.card.className = "column-card";
    this.card.popover = "manual";
    this.card.role = "dialog";
    this.card.tabIndex = -1;
    this.card.ariaLabel = root.dataset.columnCard;
    root.after(this.card);
    root.addEventListener("pointerover", (event) => event.pointerType === "mouse" && this.wait(event.target.closest("[data-card]")));
    root.addEventListener("pointerleave", () => this.leave());
    this.card.addEventListener("pointerenter", () => clearTimeout(this.timer));
    this.card.addEventListener("pointerleave", () => this.leave());
    root.addEventListener("keydown", (event) => this.press(event));
    this.card.addEventListener("keydown", (event) => event.key === "Escape" && this.close(event));
    root.addEventListener("dragstart", () => this.hide());
    root.addEventListener("scroll", () => this.hide(), true);
  }

  wait(row) {
    if (row === this.row) {
      return;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (row ? this.show(row) : this.hide()), PAUSE_MS);
  }

  leave() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.hide(), PAUSE_MS);
  }

  press(event) {
    const row = event.target.closest("[data-card]");
    if (row && event.key === "Enter" && event.altKey) {
      event.preventDefault();
      // The pointer, which rests elsewhere, has no say.
      clearTimeout(this.timer);
      this.show(row).then(() => this.card.focus());
    } else if (event.key === "Escape" && this.row) {
      this.close(event);
    }
  }

  async show(row) {
    this.row = row;
    const response = await fetch(row.dataset.card, { headers: { "HX-Request": "true" } }).catch(() => null);
    if (!response?.ok || this.row !== row) {
      return;
    }
    this.card.innerHTML = await response.text();
    this.card.showPopover();
    const { top, right } = row.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = this.card;
    this.card.style.left = `${Math.max(GAP_PX, Math.min(right + GAP_PX, innerWidth - offsetWidth - GAP_PX))}px`;
    this.card.style.top = `${Math.max(GAP_PX, Math.min(top, innerHeight - offsetHeight - GAP_PX))}px`;
  }

  hide() {
    this.row = null;
    this.card.hidePopover();
  }

  close(event) {
    event.preventDefault();
    event.stopPropagation();
    this.row?.focus();
    this.hide();
  }
}
