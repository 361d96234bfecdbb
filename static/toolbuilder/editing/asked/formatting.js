// Puts a statement into form: line breaks and indents change, and nothing else.
import * as formatter from "sql-formatter";
import { dialectOf } from "toolbuilder/editing/dialects.js";
import { readTokens } from "toolbuilder/editing/lexer.js";

const PARAMETERS = { named: [":"], custom: [{ regex: "\\{\\{[^{}]*\\}\\}" }] };
// The formatter leaves an opening bracket at the end of the line before what it opens.
const OPENING = /([ \t]*)\/\*\[\[\*\/\s*/gu;
const CLOSING = /\s*\/\*\]\]\*\//gu;

/** `text` in form, or null where it cannot be brought into it without changing what it says. */
export function formatStatement(text, dialect) {
  try {
    const settings = { dialect: formatter[dialectOf(dialect).layout], keywordCase: "preserve", paramTypes: PARAMETERS };
    const formatted = showClauses(formatter.formatDialect(hideClauses(text, dialect), settings));
    return says(formatted, dialect) === says(text, dialect) ? formatted : null;
  } catch {
    return null;
  }
}

/** "[[" and "]]", which only we know, as comments: they are kept where they stand. */
function hideClauses(text, dialect) {
  const clauses = readTokens(text, dialect).filter(({ kind }) => kind === "clause");
  return clauses.reduceRight((hidden, { from, to }) => `${hidden.slice(0, from)}/*${hidden.slice(from, to)}*/${hidden.slice(to)}`, text);
}

/** Each "[[" in front of what it opens, on a line of its own; each "]]" after what it closes. */
function showClauses(text) {
  const opened = text.replace(OPENING, (_all, blanks, at) => {
    const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
    return line.trim() ? `\n${/^ */u.exec(line)[0]}[[ ` : `${blanks}[[ `;
  });
  return opened.replace(CLOSING, " ]]");
}

/** What the database reads: every token, without what stands between them. */
function says(text, dialect) {
  return JSON.stringify(readTokens(text, dialect).map(({ kind, from, to }) => [kind, text.slice(from, to)]));
}
