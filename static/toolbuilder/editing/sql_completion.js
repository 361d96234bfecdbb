// What may stand at the cursor of a statement, the likeliest first.
import { snippet } from "codemirror";
import { joinConditions, relatedJoins } from "toolbuilder/editing/joins.js";
import { readTokens } from "toolbuilder/editing/lexer.js";
import { readQuery } from "toolbuilder/editing/query.js";
import { functionsOf, keywordsOf, quoteName, typesOf, unquoteName } from "toolbuilder/editing/words.js";

// CodeMirror adds the boost to the score of the match.
const BOOST = { join: 60, column: 40, parameter: 30, table: 20, alias: 10, function: 0, otherTable: -20, snippet: -30, keyword: -40 };
const WORD = /[\w$\u0080-\uffff]*$/;
const ASCII_WORD = /^[\w$]*$/;
const PATH = /((?:[\w$\u0080-\uffff]+|"[^"]+")\s*\.\s*)+$/;
const IN_TABLES = new Set(["FROM", "JOIN"]);
// A list that opens in the page's first moments waits so long for the names of tables.
const MOST_AWAITED_MS = 100;

/**
 * A completion source. `read()` gives what holds at that moment: {dialect, schema (a Schema), coming (a promise of another
 * schema, or null), parameters: [{name, type, description}]}.
 */
export function completeSql(read) {
  return async (context) => {
    await Promise.race([read().coming, new Promise((resolve) => setTimeout(resolve, MOST_AWAITED_MS))]);
    const { dialect, schema, parameters, snippets } = read();
    const text = context.state.doc.toString();
    const tokens = readTokens(text, dialect);
    if (isInsideText(tokens, context.pos, text)) {
      return null;
    }
    const word = context.matchBefore(WORD)?.text ?? "";
    const place = { text, tokens, word, dialect, schema, parameters, snippets, from: context.pos - word.length, isExplicit: context.explicit };
    return optionsAt(place);
  };
}

function optionsAt(place) {
  const before = place.text.slice(Math.max(0, place.from - 500), place.from);
  if (/(^|[^:]):$/.test(before) || /\{\{\s*$/.test(before)) {
    return answer(place, parameterOptions(place, before));
  }
  if (before.endsWith("::")) {
    return answer(place, typesOf(place.dialect).map((label) => ({ label, type: "type" })));
  }
  const query = readQuery(place.text, place.tokens, place.from, place.dialect);
  const path = PATH.exec(before);
  if (path) {
    return memberOptions(place, query, path[0]);
  }
  if (!place.word && !place.isExplicit) {
    return answer(place, optionsUnasked(place, query, before));
  }
  return IN_TABLES.has(query.clause) && !/\b(FROM|JOIN)\s+\S+\s+$/i.test(before)
    ? answer(place, tableOptions(place, query))
    : expressionOptions(place, query);
}

/** What is offered before a letter is typed: tables where one has to come, and how they go together. */
function optionsUnasked(place, query, before) {
  if (!query.isQuery) {
    return [];
  }
  if (query.clause === "ON" && /\bON\s+$/i.test(before)) {
    return conditionOptions(place, query);
  }
  return IN_TABLES.has(query.clause) && /\b(FROM|JOIN|LATERAL)\s+$|,\s+$/i.test(before) ? tableOptions(place, query) : [];
}

function isInsideText(tokens, position, text) {
  const token = tokens.find(({ from, to }) => from < position && position <= to);
  if (!token || !["comment", "text", "quotedName"].includes(token.kind)) {
    return false;
  }
  const isLineComment = token.kind === "comment" && text.startsWith("--", token.from);
  return position < token.to || isLineComment || !/['"`\]$/]$/.test(text.slice(token.from + 1, token.to));
}

/** The list, or null when there is none; words in other scripts are looked for in the comments too. */
function answer(place, options) {
  const { word, from } = place;
  if (!options.length) {
    return null;
  }
  if (ASCII_WORD.test(word)) {
    return { from, options, validFor: ASCII_WORD };
  }
  return { from, options: options.map((option) => withComment(option, word)) };
}

function withComment(option, word) {
  const isFoundByComment = option.comment?.includes(word) && !option.label.includes(word);
  return isFoundByComment ? { ...option, label: option.comment, displayLabel: option.label, apply: option.apply ?? option.label } : option;
}

function detailOf(...parts) {
  return parts.filter(Boolean).join(" · ");
}

function parameterOptions({ parameters, text, tokens, word, from }, before) {
  const isTemplate = before.trimEnd().endsWith("{{");
  const known = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  for (const token of tokens) {
    if (token.kind === "parameter" && token.to !== from && !(token.from < from && from <= token.to)) {
      known.set(token.name, known.get(token.name) ?? { name: token.name });
    }
  }
  const isClosed = /^\s*\}\}/.test(text.slice(from + word.length));
  return [...known.values()].map(({ name, type, description }) => ({
    label: name,
    apply: isTemplate && !isClosed ? `${name}}}` : name,
    detail: detailOf(type, description),
    comment: description,
    type: "parameter",
    boost: BOOST.parameter,
  }));
}

function columnOption(column, place, { prefix = "", origin = "", boost = BOOST.column } = {}) {
  const apply = prefix + (column.insert ?? quoteName(column.name, place.dialect));
  return {
    label: column.name,
    ...(apply !== column.name && { apply }),
    detail: detailOf(column.type ?? column.type_name, column.comment, origin),
    comment: column.comment,
    type: "column",
    boost,
  };
}

function tableOption(table, place, boost) {
  const label = place.schema.labelOf(table);
  const apply = place.schema.writtenName(table, place.dialect);
  return { label, ...(apply !== label && { apply }), detail: detailOf(table.comment), comment: table.comment, type: "table", boost };
}

function columnsOf(source, schema) {
  if (source.columns) {
    return source.columns.map((name) => ({ name }));
  }
  const table = schema.find(source.name, source.schema);
  return table ? schema.columnsOf(table) : [];
}

/** Behind "u." the columns of the table u; behind a schema's name its tables. */
async function memberOptions(place, query, path) {
  const names = path.split(".").map((part) => part.trim()).filter(Boolean);
  const name = unquoteName(names.at(-1), place.dialect);
  const schemaName = names.length > 1 ? unquoteName(names.at(-2), place.dialect) : "";
  const source =
    query.sources.find((each) => (each.alias || each.name) === name && (!schemaName || each.schema === schemaName)) ??
    (place.schema.find(name, schemaName) && { name, schema: schemaName, columns: null });
  if (source) {
    const columns = await columnsOf(source, place.schema);
    return answer(place, columns.map((column) => columnOption(column, place)));
  }
  const tables = place.schema.tables.filter((table) => table.schema === name);
  return answer(
    place,
    tables.map(({ name: label, comment }) => ({ label, apply: quoteName(label, place.dialect), detail: comment, comment, type: "table" })),
  );
}

function tableOptions(place, query) {
  const { dialect, schema } = place;
  const earlier = query.sources.filter(({ from }) => from < place.from);
  const joins = query.clause === "JOIN" ? relatedJoins(earlier, schema, dialect) : [];
  return [
    ...joins.map(({ table, text }) => ({ label: text, detail: detailOf(table.comment), comment: table.comment, type: "join", boost: BOOST.join })),
    ...query.common.map(({ name }) => ({ label: name, type: "table", boost: BOOST.column })),
    ...schema.tables.map((table) => tableOption(table, place, BOOST.table)),
    ...["SELECT", "LATERAL", "JOIN", "LEFT JOIN", "WHERE", "ON"].map(keywordOption),
  ];
}

function conditionOptions(place, query) {
  const earlier = query.sources.filter(({ from }) => from < place.from);
  return joinConditions(earlier, place.schema, place.dialect).map((label) => ({ label, type: "join", boost: BOOST.join }));
}

function keywordOption(label) {
  return { label, type: "keyword", boost: BOOST.keyword };
}

async function expressionOptions(place, query) {
  const { dialect, schema } = place;
  const conditions = query.clause === "ON" ? conditionOptions(place, query) : [];
  const functions = schema.functions ?? functionsOf(dialect);
  return answer(place, [
    ...conditions,
    ...(await columnsInScope(place, query)),
    ...query.sources.filter(({ alias }) => alias).map(({ alias, name }) => ({ label: alias, detail: name, type: "table", boost: BOOST.alias })),
    ...functions.map((each) => functionOption(each)),
    ...schema.tables.map((table) => tableOption(table, place, BOOST.otherTable)),
    ...snippetOptions(place.snippets, dialect),
    ...keywordsOf(dialect).map(keywordOption),
  ]);
}

/** Pieces of text of a language, with places that Tab leads through. */
export function snippetOptions(snippets, language) {
  const fitting = snippets.filter(({ languages }) => languages.includes(language));
  return fitting.map(({ label, detail, text }) => ({ label, detail, comment: detail, type: "snippet", boost: BOOST.snippet, apply: snippet(text) }));
}

function functionOption({ name, signature, comment }) {
  return { label: name, detail: detailOf(signature?.slice(name.length), comment), comment, type: "function", boost: BOOST.function, apply: applyCall };
}

/** Inserts the function's name and brackets, and puts the cursor between them. */
export function applyCall(view, completion, from, to) {
  const hasBracket = view.state.sliceDoc(to, to + 1) === "(";
  const insert = hasBracket ? completion.label : `${completion.label}()`;
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + completion.label.length + 1 },
    userEvent: "input.complete",
    scrollIntoView: true,
  });
}

/** Columns of all tables in sight; a name that two of them have is written with its table. */
async function columnsInScope(place, query) {
  const sources = [...new Map(query.sources.map((source) => [source.alias || source.name, source])).values()];
  const columns = await Promise.all(sources.map((source) => columnsOf(source, place.schema)));
  const counts = new Map();
  for (const { name } of columns.flat()) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return sources.flatMap((source, index) => {
    const origin = source.alias || source.name;
    return columns[index].map((column) => {
      const prefix = counts.get(column.name) > 1 ? `${quoteName(origin, place.dialect)}.` : "";
      return columnOption(column, place, { prefix, origin });
    });
  });
}
