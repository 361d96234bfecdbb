// Borders between panes: dragged, moved by arrow keys, remembered by this browser.

const STEP = 24;

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
    this.isAcross = border.ariaOrientation === "horizontal";
    this.sign = "reversed" in border.dataset ? -1 : 1;
    this.variable = `--split-${border.dataset.splits}`;
    this.limits = [Number(border.dataset.min), Number(border.dataset.max)];
    [border.ariaValueMin, border.ariaValueMax] = this.limits.map(String);
    const kept = Number(readKept(this.variable));
    if (kept) {
      this.set(kept);
    }
    this.tell();
    border.addEventListener("pointerdown", (event) => this.drag(event));
    border.addEventListener("keydown", (event) => this.press(event));
    border.addEventListener("dblclick", () => this.reset());
  }

  /** The size of the pane that this border resizes. */
  get size() {
    const pane = document.getElementById({ definition: "definition-pane" }[this.border.dataset.splits] ?? this.border.dataset.splits);
    return Math.round(this.isAcross ? pane.offsetHeight : pane.offsetWidth);
  }

  set(size) {
    const [least, most] = this.limits;
    const kept = Math.min(Math.max(size, least), most);
    this.panes.style.setProperty(this.variable, `${kept}px`);
    keep(this.variable, String(kept));
    this.tell();
  }

  reset() {
    this.panes.style.removeProperty(this.variable);
    keep(this.variable, "");
    this.tell();
  }

  tell() {
    this.border.ariaValueNow = String(this.size);
  }

  press(event) {
    const [less, more] = this.isAcross ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
    const step = { [less]: -STEP, [more]: STEP }[event.key];
    if (step) {
      event.preventDefault();
      this.set(this.size + step * this.sign);
    }
  }

  drag(start) {
    const placeOf = (event) => (this.isAcross ? event.clientY : event.clientX);
    const { size, border } = this;
    start.preventDefault();
    border.focus();
    border.setPointerCapture(start.pointerId);
    const move = (event) => this.set(size + (placeOf(event) - placeOf(start)) * this.sign);
    border.addEventListener("pointermove", move);
    border.addEventListener("lostpointercapture", () => border.removeEventListener("pointermove", move), { once: true });
  }
}

// Browsers may forbid the storage; the panes then have the size that the page gives them.
function readKept(name) {
  try {
    return localStorage.getItem(`toolbuilder${name}`);
  } catch {
    return null;
  }
}

function keep(name, text) {
  try {
    localStorage.setItem(`toolbuilder${name}`, text);
  } catch {
    // See above.
  }
}
