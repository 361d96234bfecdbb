// The tour: a card beside each part of the editor in turn. It can be left at any time, and is offered once.
import { fetchPart, showPart } from "toolbuilder/help/fragments.js";
import { remember } from "web/remember.js";

const GAP = 12;
let tour = null;

class Tour {
  constructor(card, opener) {
    this.card = card;
    this.opener = opener;
    // What the page hides has no step: the tables of a tool without a query.
    this.steps = [...card.querySelectorAll("template")].filter(({ dataset }) => document.querySelector(dataset.target)?.checkVisibility());
    this.place = 0;
    card.querySelector("[data-next]").addEventListener("click", () => this.go(1));
    card.querySelector("[data-back]").addEventListener("click", () => this.go(-1));
    card.querySelector("[data-leave]").addEventListener("click", () => this.leave());
    this.onKey = (event) => this.press(event);
    this.onMove = () => this.settle();
    document.addEventListener("keydown", this.onKey, true);
    addEventListener("resize", this.onMove);
    addEventListener("scroll", this.onMove, true);
    this.show();
  }

  get target() {
    return document.querySelector(this.steps[this.place].dataset.target);
  }

  go(step) {
    const next = this.place + step;
    if (next >= this.steps.length) {
      this.leave();
    } else if (next >= 0) {
      this.unmark();
      this.place = next;
      this.show();
    }
  }

  show() {
    const { card, steps, place } = this;
    const { children } = steps[place].content;
    card.querySelector("#tour-title").textContent = children[0].textContent;
    card.querySelector("#tour-text").textContent = children[1].textContent;
    const count = card.querySelector("[data-count]");
    count.textContent = count.dataset.count.replace("{number}", place + 1).replace("{count}", steps.length);
    card.querySelector("[data-back]").disabled = place === 0;
    const next = card.querySelector("[data-next]");
    next.dataset.text ??= next.textContent;
    next.textContent = place === steps.length - 1 ? next.dataset.last : next.dataset.text;
    this.target.classList.add("tour-target");
    this.target.scrollIntoView({ block: "nearest" });
    this.settle();
    next.focus();
  }

  /** Beside its target where there is room, else below it, else over it. */
  settle() {
    const target = this.target.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.card;
    const isRight = target.right + GAP + width < innerWidth;
    const isLeft = target.left - GAP - width > 0;
    const isBelow = target.bottom + GAP + height < innerHeight;
    const left = isRight ? target.right + GAP : isLeft ? target.left - GAP - width : target.left;
    const top = isRight || isLeft ? target.top : isBelow ? target.bottom + GAP : target.bottom - height - GAP;
    this.card.style.left = `${Math.max(GAP, Math.min(left, innerWidth - width - GAP))}px`;
    this.card.style.top = `${Math.max(GAP, Math.min(top, innerHeight - height - GAP))}px`;
  }

  press(event) {
    const steps = { ArrowRight: 1, ArrowLeft: -1 };
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      this.leave();
    } else if (event.key in steps && this.card.contains(event.target)) {
      event.preventDefault();
      this.go(steps[event.key]);
    }
  }

  unmark() {
    this.target.classList.remove("tour-target");
  }

  leave() {
    this.unmark();
    document.removeEventListener("keydown", this.onKey, true);
    removeEventListener("resize", this.onMove);
    removeEventListener("scroll", this.onMove, true);
    remember(this.card.dataset.over, { name: "tour", value: "1" });
    this.card.remove();
    tour = null;
    if (this.opener.isConnected && this.opener.checkVisibility()) {
      this.opener.focus();
    }
    document.querySelector("[data-tour-offer]")?.remove();
    if (document.activeElement === document.body) {
      (document.querySelector(".cm-content") ?? document.querySelector("main")).focus();
    }
  }
}

/** Begins it, again where it was begun. */
export async function open(opener) {
  tour?.leave();
  const card = await fetchPart(opener.dataset.tour, "#tour-card");
  await showPart(card);
  tour = new Tour(card, opener);
}
