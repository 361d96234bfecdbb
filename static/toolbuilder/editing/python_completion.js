// What may stand at the cursor of an expression or a script.
import { syntaxTree } from "codemirror";
import { applyCall, snippetOptions } from "toolbuilder/editing/sql_completion.js";

const WORD = /[\p{L}\p{N}_]*$/u;
const WHOLE_WORD = /^[\p{L}\p{N}_]*$/u;
const TEXTS = new Set(["String", "FormatString", "Comment"]);

/**
 * A completion source. `read()` gives {parameters: [{name, type, description}], functions: [{name, signature, comment}],
 * methods: the same for what follows a dot, constants: [{name, comment}], keywords: [text]} of that moment.
 */
export function completePython(read) {
  return (context) => {
    const word = context.matchBefore(WORD)?.text ?? "";
    const from = context.pos - word.length;
    const isMember = context.state.sliceDoc(from - 1, from) === "." && !/\d/.test(context.state.sliceDoc(from - 2, from - 1));
    const isText = TEXTS.has(syntaxTree(context.state).resolveInner(context.pos, -1).name);
    if (isText || /^\d/.test(word) || !(word || isMember || context.explicit)) {
      return null;
    }
    const options = isMember ? callOptions(read().methods) : nameOptions(read());
    return options.length ? { from, options, validFor: WHOLE_WORD } : null;
  };
}

function nameOptions({ parameters, functions, constants, keywords, snippets }) {
  const shadowed = new Set(parameters.map(({ name }) => name));
  return [
    ...parameters.map(({ name, type, description }) => ({
      label: name,
      detail: [type, description].filter(Boolean).join(" · "),
      type: "parameter",
      boost: 30,
    })),
    ...callOptions(functions),
    ...constants.filter(({ name }) => !shadowed.has(name)).map(({ name, comment }) => ({ label: name, detail: comment, type: "constant" })),
    ...snippetOptions(snippets, "python"),
    ...keywords.map((label) => ({ label, type: "keyword", boost: -40 })),
  ];
}

function callOptions(functions) {
  return functions.map(({ name, signature, comment }) => ({
    label: name,
    detail: [signature?.slice(name.length), comment].filter(Boolean).join(" · "),
    type: "function",
    apply: applyCall,
  }));
}
