// The rows of parameters: added, removed, and moved by dragging, by keys and by buttons.
import { nameOf } from "toolbuilder/editing/merging.js";

const STEPS = { ArrowUp: -1, ArrowDown: 1 };
let added = 0;

/** Makes the rows work; `saving` is told of every change that is no field's, `rename(name, box, back)` asks for another name. */
export function watchParameters(saving, { rename }) {
  return new Parameters(saving, rename);
}

class Parameters {
  constructor(saving, askName) {
    this.saving = saving;
    this.askName = askName;
    this.list = document.getElementById("parameters");
    this.added = document.getElementById("new-parameters");
    this.template = document.getElementById("parameter-template");
    document.addEventListener("click", (event) => this.click(event));
    const pane = this.list.parentElement;
    pane.addEventListener("keydown", (event) => this.press(event));
    pane.addEventListener("pointerdown", (event) => this.startDrag(event));
    pane.addEventListener("input", (event) => this.change(event));
  }

  get names() {
    return this.rows.map(nameOf).filter(Boolean);
  }

  get rows() {
    return [...this.list.querySelectorAll(":scope > .parameter-row")];
  }

  click({ target }) {
    if (target.closest("#add-parameter")) {
      this.add();
    }
    const offer = target.closest("[data-set-type]");
    if (offer) {
      this.setType(offer.dataset.of, offer.dataset.setType);
    }
    const row = target.closest(".parameter-row");
    const pill = target.closest("[data-ask-name]");
    if (row && pill) {
      this.askName(nameOf(row), pill.getBoundingClientRect(), row);
    } else if (row && target.closest("[data-remove]")) {
      this.remove(row);
    } else if (row && target.closest("[data-rename]")) {
      this.rename(row, target.closest("[data-rename]").dataset.rename);
    } else if (row && target.closest("[data-move]")) {
      this.move(row, Number(target.closest("[data-move]").dataset.move), target.closest("[data-move]"));
    }
  }

  /** An empty row; it is sent as soon as it has a name. */
  add() {
    const row = this.template.content.cloneNode(true).firstElementChild;
    const key = `new-parameter-${(added += 1)}`;
    for (const element of [row, ...row.querySelectorAll("*")]) {
      for (const attribute of [...element.attributes]) {
        attribute.value = attribute.value.replace("new-parameter", key);
      }
    }
    row.querySelector('[name="parameter"]').disabled = true;
    this.added.append(row);
    row.querySelector(".parameter-name").focus();
  }

  change({ target }) {
    const row = target.closest(".parameter-row");
    const field = target.name?.slice(row?.dataset.key.length + 1);
    if (field === "name" && row.parentElement === this.added) {
      row.querySelector('[name="parameter"]').disabled = target.value.trim() === "";
    } else if (field?.startsWith("default") && target.value !== "") {
      // A parameter with a default is one that may be left out.
      row.querySelector('[name$="-required"]').checked = false;
    }
  }

  remove(row) {
    const next = row.nextElementSibling ?? row.previousElementSibling;
    const name = nameOf(row);
    row.remove();
    (next?.matches(".parameter-row") ? next : document.getElementById("add-parameter")).focus();
    announce(this.template.dataset.removed.replace("{name}", () => name));
    this.saving.schedule(0);
  }

  /** The row becomes that of the new name, whose own row says nothing yet. */
  rename(row, name) {
    this.rows.find((each) => each !== row && nameOf(each) === name)?.remove();
    row.querySelector('[name$="-name"]').value = name;
    row.focus();
    this.saving.schedule(0);
  }

  setType(name, type) {
    const select = this.rows.find((each) => nameOf(each) === name)?.querySelector('[name$="-type"]');
    if (select) {
      select.value = type;
      select.dispatchEvent(new Event("change", { bubbles: true }));
      select.scrollIntoView({ block: "nearest" });
      select.focus();
    }
  }

  /** The row of `old` has the name that the logic has now. */
  follow(old, name) {
    const row = this.rows.find((each) => nameOf(each) === old);
    if (row) {
      row.querySelector('[name$="-name"]').value = name;
      const pill = row.querySelector("[data-ask-name]");
      pill?.replaceChildren(pill.textContent.trim().startsWith(":") ? `:${name}` : name);
    }
    this.saving.schedule(0);
  }

  press(event) {
    const step = STEPS[event.key];
    const row = event.target.closest(".parameter-row");
    const pill = event.key === "F2" && row?.querySelector("[data-ask-name]");
    if (pill) {
      event.preventDefault();
      this.askName(nameOf(row), pill.getBoundingClientRect(), event.target);
    }
    if (step && row && (event.altKey || event.target.matches("[data-grip]"))) {
      event.preventDefault();
      this.move(row, step, document.activeElement);
    }
  }

  move(row, step, focused) {
    const { rows } = this;
    const other = rows[rows.indexOf(row) + step];
    if (!other || !rows.includes(row)) {
      return;
    }
    this.place(row, step < 0 ? other : other.nextElementSibling);
    focused.focus();
    this.tellMoved(row);
  }

  place(row, before) {
    if (this.list.moveBefore) {
      this.list.moveBefore(row, before);
    } else {
      this.list.insertBefore(row, before);
    }
  }

  tellMoved(row) {
    const { rows } = this;
    const values = { name: nameOf(row), position: rows.indexOf(row) + 1, count: rows.length };
    announce(this.template.dataset.moved.replace(/\{(\w+)\}/g, (_all, name) => values[name]));
    row.scrollIntoView({ block: "nearest" });
    this.saving.schedule(0);
  }

  startDrag(event) {
    const grip = event.target.closest("[data-grip]");
    const row = grip?.closest(".parameter-row");
    if (!grip || event.button !== 0 || row.parentElement !== this.list || grip.matches(":disabled")) {
      return;
    }
    event.preventDefault();
    grip.focus();
    grip.setPointerCapture(event.pointerId);
    row.classList.add("dragged");
    const start = this.rows.indexOf(row);
    const drag = ({ clientY }) => this.drag(row, clientY);
    grip.addEventListener("pointermove", drag);
    const end = () => {
      grip.removeEventListener("pointermove", drag);
      row.classList.remove("dragged");
      if (this.rows.indexOf(row) !== start) {
        this.tellMoved(row);
      }
    };
    grip.addEventListener("lostpointercapture", end, { once: true });
  }

  drag(row, y) {
    const middleOf = (each) => each.getBoundingClientRect().top + each.offsetHeight / 2;
    const before = row.previousElementSibling;
    const after = row.nextElementSibling;
    if (before?.matches(".parameter-row") && y < middleOf(before)) {
      this.place(row, before);
    } else if (after?.matches(".parameter-row") && y > middleOf(after)) {
      this.place(row, after.nextElementSibling);
    }
  }
}

function announce(text) {
  document.getElementById("announcement").textContent = text;
}
