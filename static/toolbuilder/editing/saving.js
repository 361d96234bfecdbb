// Saves what is typed, one request at a time, and says how that stands.
import { isForInputMethod } from "web/shortcuts.js";

const TYPING_PAUSE_MS = 350;
// No part of the draft: what each page has anew, and what the dialog before publishing asks. A check because of that one could reach
// the server behind the publication, at an address that the tool no longer has.
const APART = new Set(["csrfmiddlewaretoken", "page_token", "revision", "confirmed", "note", "old_names_days", "override_reason"]);
// What people and agents read, and what a test run is given: nothing is checked because of it.
const UNCHECKED = /^(name|title|tags|chart|call_as|description_\w+|annotation-\w+)$|-(test|test_state|description|example)$/;
const REASONS = { 401: "signedOut", 403: "signedOut", 409: "conflict", 413: "tooLarge" };

/**
 * The saving of one form: `tool:analyse` is sent when something changed and nothing is on its way.
 *
 * `answeredText` is the logic that the last answer was about; `isJudged` says that the findings on the page are about what the
 * form says now. `onChange` is called whenever either, or the state, may be another.
 */
export class Saving {
  constructor(form, { isEditable }) {
    this.form = form;
    this.isEditable = isEditable;
    this.shown = document.getElementById("saving");
    this.sent = new WeakMap();
    const { body } = this;
    this.saved = this.written(body);
    this.judged = this.written(body, isChecked);
    this.state = "saved";
    this.failure = "";
    this.figures = {};
    this.onChange = () => {};
    this.answeredText = null;
    this.isOnItsWay = false;
    this.isBlocked = false;
    this.timer = 0;
    this.watchFields();
    this.watchRequests();
    this.showTime();
  }

  get body() {
    return new FormData(this.form);
  }

  /** Everything that people can change, or the part of it that `isMeant`, as one text. */
  written(body = this.body, isMeant = () => true) {
    return JSON.stringify([...body].filter(([name]) => !APART.has(name) && isMeant(name)));
  }

  get isJudged() {
    return this.written(this.body, isChecked) === this.judged;
  }

  get isDirty() {
    return this.isEditable && this.written() !== this.saved;
  }

  /** The page says something else than the server had sent: none of it counts as saved. */
  forget() {
    this.saved = this.judged = null;
  }

  /** Whether anything was changed since the request was sent. */
  isOlder(ctx) {
    return this.sent.has(ctx) && this.sent.get(ctx).written !== this.written();
  }

  /** Shows at once that something is not saved yet. */
  note() {
    if (this.isEditable && this.state === "saved") {
      this.setState("changed");
    }
    this.onChange();
  }

  schedule(pauseMs) {
    if (!this.isEditable) {
      return;
    }
    this.note();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), pauseMs);
  }

  save({ isAsked = false } = {}) {
    clearTimeout(this.timer);
    if (this.isOnItsWay || (this.isBlocked && !isAsked)) {
      return;
    }
    if (!this.isDirty && this.isJudged && !isAsked) {
      this.setState("saved");
      return;
    }
    this.isBlocked = false;
    if (this.isOversized()) {
      this.setState("failed", "oversized");
    } else {
      this.form.dispatchEvent(new CustomEvent("tool:analyse"));
    }
  }

  /** Whether the logic is more than any form may hold: it is not even sent, and the reason has the figures. */
  isOversized() {
    const { elements, dataset } = this.form;
    const text = elements.definition.value;
    // A character has three bytes at most; most texts need not be counted.
    const bytes = text.length * 3 > dataset.formBytes ? new TextEncoder().encode(text).length : 0;
    const limit = elements.tool_type.value === "PYTHON" ? dataset.limitPython : dataset.limitSql;
    const shown = (number) => Number(number).toLocaleString(document.documentElement.lang);
    this.figures = { bytes: shown(bytes), limit: shown(limit) };
    return bytes > Number(dataset.formBytes);
  }

  watchFields() {
    const isOurs = ({ target: { form, name, id } }) => form === this.form && name && !APART.has(name) && id !== "definition";
    document.addEventListener("input", (event) => isOurs(event) && this.schedule(TYPING_PAUSE_MS));
    document.addEventListener("change", (event) => isOurs(event) && this.schedule(0));
    document.addEventListener("keydown", (event) => {
      // Enter in a field would press the form's first button.
      if (event.key === "Enter" && isOurs(event) && event.target.matches("input:not([type=radio], [type=checkbox])") && !isForInputMethod(event)) {
        event.preventDefault();
        this.save({ isAsked: true });
      }
    });
    this.form.addEventListener("submit", (event) => {
      if (!event.submitter || event.submitter.id === "save") {
        event.preventDefault();
        this.save({ isAsked: true });
      }
    });
    document.addEventListener("click", ({ target }) => target.closest("[data-retry]") && this.save({ isAsked: true }));
    addEventListener("beforeunload", (event) => this.isDirty && event.preventDefault());
    addEventListener("online", () => this.isDirty && this.save());
    // The shell's own listener has to put the new token into the page first.
    document.addEventListener("session:renewed", () => setTimeout(() => this.save({ isAsked: true })));
  }

  watchRequests() {
    for (const name of ["request:unreachable", "htmx:response:error"]) {
      // The page's toast would come again with every change; this is said beside the tool's name.
      this.form.addEventListener(name, (event) => event.target === this.form && event.stopPropagation());
    }
    document.addEventListener("htmx:config:request", ({ detail: { ctx } }) => {
      const { body } = ctx.request;
      if (body?.has?.("page_token")) {
        // hx-include brings fields along that lie within the form but are of another.
        const names = new Set(this.body.keys());
        const isOurs = (name) => names.has(name);
        const logic = this.written(body, (name) => isOurs(name) && isChecked(name));
        this.sent.set(ctx, { written: this.written(body, isOurs), logic, text: body.get("definition") });
      }
    });
    document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
      if (ctx.sourceElement === this.form) {
        this.isOnItsWay = true;
        this.setState("saving");
      }
    });
    document.addEventListener("htmx:after:request", ({ detail: { ctx } }) => {
      this.answeredText = this.sent.get(ctx)?.text ?? this.answeredText;
    });
    document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => this.finish(ctx));
  }

  finish(ctx) {
    const isOurs = ctx.sourceElement === this.form;
    const status = ctx.response?.status ?? 0;
    this.isOnItsWay &&= !isOurs;
    if (this.sent.get(ctx)?.isSaved) {
      this.accept(ctx);
    } else if (isOurs) {
      this.fail(status);
    }
  }

  accept(ctx) {
    const sent = this.sent.get(ctx);
    // What the server wrote in another form, such as a date, is no change of the person's.
    this.saved = sent.isMerged ? this.written() : sent.written;
    if (sent.isJudged) {
      this.judged = sent.isMerged ? this.written(this.body, isChecked) : sent.logic;
    }
    this.isBlocked = false;
    this.showTime();
    if (this.isDirty || !this.isJudged) {
      this.schedule(0);
    } else {
      this.setState("saved");
    }
  }

  /** Notes what an answer brings: `{isSaved, isJudged, isMerged}`, the last if nothing was changed meanwhile. */
  noteAnswer(ctx, brought) {
    if (this.sent.has(ctx)) {
      Object.assign(this.sent.get(ctx), brought);
    }
  }

  fail(status) {
    const other = status >= 500 ? "failed" : "refused";
    this.isBlocked = status === 409 || status === 401;
    this.setState("failed", status ? (REASONS[status] ?? other) : "unreachable");
  }

  setState(state, failure = "") {
    this.state = this.shown.dataset.state = state;
    if (failure) {
      this.failure = this.shown.dataset.failure = failure;
      const reason = this.form.dataset[failure].replace(/\{(\w+)\}/g, (_all, name) => this.figures[name]);
      document.getElementById("saving-reason").textContent = reason;
    }
    this.onChange();
  }

  /** The time of the last save, on the reader's clock. */
  showTime() {
    const time = this.shown.querySelector("time");
    if (time) {
      time.textContent = new Date(time.dateTime).toLocaleTimeString("en-GB");
    }
  }
}

function isChecked(name) {
  return !UNCHECKED.test(name);
}
