// Tokens and parameters of a statement, read by the rules of core/statements: what is marked here is what the server binds.
// Unlike the server it goes on after a fault: half a statement is the normal state of an editor.
import { CONTINUES_WORD, dialectOf } from "toolbuilder/editing/dialects.js";

const TEXT_CONTINUES =
  /(?:[ \t\f\v]+|--[^\n\r]*)*[\n\r](?:[ \t\n\r\f\v]+|--[^\n\r]*[\n\r])*'[^'\\]*(?:(?:\\.|'')[^'\\]*)*(?:'|$)/suy;
const VALUES = new Set(["escapeText", "text", "dollarText", "number", "close", "template", "colonName"]);

/**
 * The tokens of `text`, blanks left out, each {kind, from, to} in UTF-16 units: comment, text, quotedName, word, number,
 * open, close, operator, cast, other, clause ("[[" and "]]") and parameter (with its `name`).
 */
export function readTokens(text, dialect) {
  const lexer = new Lexer(text, dialect);
  lexer.run();
  return lexer.tokens;
}

const compiled = new Map();

/** The pattern of all kinds, and the kind of each of its groups; made once. */
function compile(tokens) {
  if (!compiled.has(tokens)) {
    // Numbered groups: an object of named ones for each token takes twice the time of all the rest.
    const alternatives = Object.values(tokens).map((pattern) => `(${pattern})`);
    compiled.set(tokens, { pattern: new RegExp(alternatives.join("|"), "suy"), kinds: Object.keys(tokens) });
  }
  return compiled.get(tokens);
}

function indexOfGroup(match) {
  let group = 1;
  while (match[group] === undefined) {
    group += 1;
  }
  return group - 1;
}

class Lexer {
  constructor(text, dialect) {
    this.text = text;
    this.dialect = dialectOf(dialect);
    this.rules = compile(this.dialect.tokens);
    this.tokens = [];
    this.brackets = [];
    this.before = { kind: "", text: "", isMember: false };
  }

  run() {
    const { pattern, kinds } = this.rules;
    let position = 0;
    while (position < this.text.length) {
      pattern.lastIndex = position;
      const kind = kinds[indexOfGroup(pattern.exec(this.text))];
      position = kind === "blank" ? pattern.lastIndex : this.read(kind, position, pattern.lastIndex);
    }
  }

  read(kind, from, end) {
    if (kind === "comment") {
      const to = this.endOf(kind, from, end);
      this.tokens.push({ kind, from, to });
      return to;
    }
    const token = this.understand(kind, from, end);
    const isMember = this.before.text === "." && this.before.kind === "operator";
    this.before = { kind: token.before ?? kind, text: this.text.slice(from, token.to), isMember };
    this.tokens.push({ kind: token.kind, from, to: token.to, name: token.name });
    return token.to;
  }

  understand(kind, from, to) {
    switch (kind) {
      case "colonName":
      case "template":
        return this.readParameter(kind, from, to);
      case "escapeText":
        return { kind: "text", to: this.endOfContinuedText(to), before: kind };
      case "dollarText":
        return { kind: "text", to: this.endOfDollarText(from, to), before: kind };
      case "clause":
        return this.openBracket("[[", from, false);
      case "open":
        return this.readOpen(from);
      case "close":
        return this.readClose(from, to);
      default:
        return { kind, to };
    }
  }

  endOfComment(from) {
    if (!this.dialect.readsAsPostgresql) {
      const end = this.text.indexOf("*/", from + 2);
      return end < 0 ? this.text.length : end + 2;
    }
    let depth = 0;
    const edges = /\/\*|\*\//g;
    edges.lastIndex = from;
    for (let edge = edges.exec(this.text); edge; edge = edges.exec(this.text)) {
      depth += edge[0] === "/*" ? 1 : -1;
      if (!depth) {
        return edges.lastIndex;
      }
    }
    return this.text.length;
  }

  endOfContinuedText(to) {
    for (;;) {
      TEXT_CONTINUES.lastIndex = to;
      if (this.text[to - 1] !== "'" || !TEXT_CONTINUES.test(this.text)) {
        return to;
      }
      to = TEXT_CONTINUES.lastIndex;
    }
  }

  endOfDollarText(from, to) {
    const end = this.text.indexOf(this.text.slice(from, to), to);
    return end < 0 ? this.text.length : end + to - from;
  }

  readParameter(kind, from, to) {
    const isTemplate = kind === "template";
    const name = this.text.slice(from + (isTemplate ? 2 : 1), to - (isTemplate ? 2 : 0)).trim();
    const isGlued = this.continuesWord(to) || (isTemplate && from > 0 && this.continuesWord(from - 1));
    const isAmbiguous = isTemplate && this.dialect.readsAsPostgresql ? false : this.followsValue() || this.isInSlice();
    return isGlued || isAmbiguous ? { kind: "other", to } : { kind: "parameter", to, name: name.normalize("NFKC"), before: kind };
  }

  continuesWord(offset) {
    return CONTINUES_WORD.test(String.fromCodePoint(this.text.codePointAt(offset) ?? 32));
  }

  followsValue() {
    return VALUES.has(this.before.kind) && this.before.text !== "]]";
  }

  isInSlice() {
    return this.brackets.at(-1)?.isSubscript ?? false;
  }

  readOpen(from) {
    const bracket = this.text[from];
    if (bracket === "(") {
      return this.openBracket(bracket, from, false);
    }
    const isArray = !this.before.isMember && this.before.kind === "word" && this.before.text.toLowerCase() === "array";
    const isInArray = this.brackets.at(-1)?.bracket === "[";
    if (this.text.startsWith("[[", from) && !isArray && !isInArray && !(this.dialect.hasLists && this.opensList(from))) {
      return this.openBracket("[[", from, false);
    }
    const isArrayOfValues = ["operator", "cast", "open", "clause"].includes(this.before.kind) || isArray;
    return this.openBracket(bracket, from, !isArrayOfValues);
  }

  /** Whether the "[[" opens a list of lists: its two ends are apart, or it holds no parameter. */
  opensList(from) {
    if (this.brackets.some(({ bracket }) => bracket === "[[")) {
      return ["operator", "cast", "open"].includes(this.before.kind);
    }
    const { pattern, kinds } = this.rules;
    let [position, depth, hasParameter] = [from, 0, false];
    while (position < this.text.length) {
      pattern.lastIndex = position;
      const kind = kinds[indexOfGroup(pattern.exec(this.text))];
      const mark = this.text[position];
      hasParameter ||= kind === "colonName" || kind === "template";
      if (kind === "open" || kind === "close" || kind === "other") {
        depth += "([{".includes(mark) - ")]}".includes(mark);
        if (mark === "]" && depth === 1) {
          return !(hasParameter && this.text.startsWith("]]", position));
        }
      }
      position = this.endOf(kind, position, pattern.lastIndex);
    }
    return false;
  }

  /** Where the token ends that the pattern has only found the beginning of. */
  endOf(kind, from, to) {
    if (kind === "dollarText") {
      return this.endOfDollarText(from, to);
    }
    return kind === "comment" && this.text.startsWith("/*", from) ? this.endOfComment(from) : to;
  }

  openBracket(bracket, from, isSubscript) {
    this.brackets.push({ bracket, isSubscript });
    const isClause = bracket === "[[";
    return { kind: isClause ? "clause" : "open", to: from + bracket.length, before: "open" };
  }

  readClose(from, to) {
    const opened = this.brackets.pop();
    if (opened?.bracket === "[[" && this.text.startsWith("]]", from)) {
      return { kind: "clause", to: from + 2, before: "close" };
    }
    return { kind: "close", to };
  }
}
