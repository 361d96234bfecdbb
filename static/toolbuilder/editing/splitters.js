// Borders between panes: dragged, moved by arrow keys, folded by Enter; remembered of each person by the server.
import { remember } from "web/remember.js";

const STEP = 24;
const PAUSE_MS = 400;

/** Makes every `[data-splits]` of `panes` set the variable `--split-<name>`; a double click takes it back. */
export function watchSplitters(panes) {
  for (const border of panes.querySelectorAll("[data-splits]")) {
    new Splitter(panes, border);
  }
}

class Splitter {
  constructor(panes, border) {
    this.panes = panes;
    this.border = border;
    this.name = border.dataset.splits;
    this.isAcross = border.ariaOrientation === "horizontal";
    this.sign = "reversed" in border.dataset ? -1 : 1;
    this.variable = `--split-${this.name}`;
    this.limits = [Number(border.dataset.min), Number(border.dataset.max)];
    [border.ariaValueMin, border.ariaValueMax] = ["0", String(this.limits[1])];
    if (border.dataset.kept) {
      this.show(Number(border.dataset.kept));
      this.tell(Number(border.dataset.kept));
    } else {
      // The layout is made for the text first.
      setTimeout(() => this.tell(this.size));
    }
    border.addEventListener("pointerdown", (event) => this.drag(event));
    border.addEventListener("keydown", (event) => this.press(event));
    border.addEventListener("dblclick", () => this.reset());
  }

  /** The size of the pane that this border resizes; 0 where it is folded. */
  get size() {
    if (this.isFolded) {
      return 0;
    }
    const pane = document.getElementById({ definition: "definition-pane" }[this.name] ?? this.name);
    return Math.round(this.isAcross ? pane.offsetHeight : pane.offsetWidth);
  }

  get isFolded() {
    return this.panes.classList.contains(`${this.name}-folded`);
  }

  set(size) {
    const [least, most] = this.limits;
    const kept = size ? Math.min(Math.max(size, least), most) : 0;
    this.show(kept);
    this.keep(String(kept));
    this.tell(kept);
  }

  reset() {
    this.panes.classList.remove(`${this.name}-folded`);
    this.panes.style.removeProperty(this.variable);
    this.keep("");
    this.tell(this.size);
  }

  show(size) {
    this.panes.classList.toggle(`${this.name}-folded`, size === 0);
    if (size) {
      this.panes.style.setProperty(this.variable, `${size}px`);
    }
  }

  /** Once the border rests. */
  keep(value) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => remember(this.panes.dataset.keep, { name: this.name, value }), PAUSE_MS);
  }

  tell(size) {
    this.border.ariaValueNow = String(size);
  }

  press(event) {
    const [less, more] = this.isAcross ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
    const step = { [less]: -STEP, [more]: STEP }[event.key];
    if (step) {
      event.preventDefault();
      this.set(this.isFolded ? this.limits[0] : this.size + step * this.sign);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (this.isFolded) {
        this.reset();
      } else {
        this.set(0);
      }
    }
  }

  drag(start) {
    const placeOf = (event) => (this.isAcross ? event.clientY : event.clientX);
    const { size, border } = this;
    start.preventDefault();
    border.focus();
    border.setPointerCapture(start.pointerId);
    const move = (event) => this.set(Math.max(size + (placeOf(event) - placeOf(start)) * this.sign, 1));
    border.addEventListener("pointermove", move);
    border.addEventListener("lostpointercapture", () => border.removeEventListener("pointermove", move), { once: true });
  }
}
