// JSON with {name} where an argument goes: its colours and the names that may stand there.
import { Decoration, RangeSetBuilder, ViewPlugin } from "codemirror";

const TOKENS = /(?<string>"(?:[^"\\\n]|\\.)*"?)|(?<parameter>\{[\p{L}_][\p{L}\p{N}_.-]*\})|(?<keyword>\b(?:true|false|null)\b)|(?<number>-?\b\d[\d.eE+-]*)/gu;
const INNER = /\{[\p{L}_][\p{L}\p{N}_.-]*\}/gu;
const BEFORE = /\{[\p{L}\p{N}_.-]*$/u;
const MARKS = {
  string: Decoration.mark({ class: "tok-string" }),
  key: Decoration.mark({ class: "tok-type" }),
  keyword: Decoration.mark({ class: "tok-keyword" }),
  number: Decoration.mark({ class: "tok-number" }),
  parameter: Decoration.mark({ class: "cm-parameter" }),
};

/** Colours the text; a body is short enough to be read as a whole. */
export const markJson = ViewPlugin.fromClass(
  class {
    constructor(view) {
      this.draw(view);
    }

    update(update) {
      if (update.docChanged) {
        this.draw(update.view);
      }
    }

    draw(view) {
      const text = view.state.doc.toString();
      const builder = new RangeSetBuilder();
      for (const match of text.matchAll(TOKENS)) {
        const [kind, token] = Object.entries(match.groups).find(([, value]) => value !== undefined);
        const { index } = match;
        const isKey = kind === "string" && /^\s*:/.test(text.slice(index + token.length));
        builder.add(index, index + token.length, MARKS[isKey ? "key" : kind]);
        if (kind === "string" && !isKey) {
          for (const inner of token.matchAll(INNER)) {
            builder.add(index + inner.index, index + inner.index + inner[0].length, MARKS.parameter);
          }
        }
      }
      this.decorations = builder.finish();
    }
  },
  { decorations: ({ decorations }) => decorations },
);

/** A completion source of the parameters behind a brace; `read()` gives {parameters} of that moment. */
export function completeJson(read) {
  return (context) => {
    const before = context.matchBefore(BEFORE);
    const options = read().parameters.map(({ name, type, description }) => ({
      label: `{${name}}`,
      detail: [type, description].filter(Boolean).join(" · "),
      type: "parameter",
      apply: (view, completion, from, to) => {
        // The bracket that was closed by itself is part of what is written.
        const end = view.state.sliceDoc(to, to + 1) === "}" ? to + 1 : to;
        view.dispatch({ changes: { from, to: end, insert: completion.label }, selection: { anchor: from + completion.label.length } });
      },
    }));
    return before && options.length ? { from: before.from, options } : null;
  };
}
