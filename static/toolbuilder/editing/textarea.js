// The text area that an editor stands for: its value, its labels and its form go on working.

/** Hides `textarea` behind `frame`, which is put in after it; restored by `release()`. */
export class ReplacedTextarea {
  constructor(textarea, frame) {
    this.textarea = textarea;
    this.frame = frame;
    this.stop = new AbortController();
    this.wasRequired = textarea.required;
    // A hidden field that is required would block its form without a word.
    textarea.required = false;
    textarea.hidden = true;
    textarea.after(frame);
  }

  /** Attributes that give the editor the name and the description of the field. */
  attributes(statusIds) {
    const { textarea } = this;
    const labels = [...textarea.labels].map((label) => (label.id ||= `${textarea.id || textarea.name}-label`));
    const described = [textarea.getAttribute("aria-describedby"), ...statusIds].filter(Boolean).join(" ");
    const name = textarea.getAttribute("aria-label");
    return {
      "aria-describedby": described,
      spellcheck: "false",
      autocapitalize: "off",
      // It scrolls inside of a box that Tab does not reach.
      tabindex: "0",
      ...(labels.length ? { "aria-labelledby": labels.join(" ") } : { "aria-label": name ?? textarea.name }),
      ...(this.wasRequired && { "aria-required": "true" }),
    };
  }

  /** Gives the focus of a clicked label to the editor, and the value of a reset form. */
  follow({ focus, reset }) {
    const { signal } = this.stop;
    for (const label of this.textarea.labels) {
      label.addEventListener("click", focus, { signal });
    }
    // The event comes before the values change.
    this.textarea.form?.addEventListener("reset", () => setTimeout(reset), { signal });
  }

  release() {
    this.stop.abort();
    this.textarea.required = this.wasRequired;
    this.textarea.hidden = false;
    this.frame.remove();
  }
}
