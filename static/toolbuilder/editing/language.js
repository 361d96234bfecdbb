// Highlighting and completion of the languages; the colours of the classes are in editor.css.
import {
  EditorState,
  LanguageSupport,
  PostgreSQL,
  SQLite,
  indentUnit,
  localCompletionSource,
  pythonLanguage,
  syntaxHighlighting,
  tagHighlighter,
  tags,
} from "codemirror";
import { completeJson, markJson } from "toolbuilder/editing/json_body.js";
import { markPythonParameters, markSqlParameters } from "toolbuilder/editing/marks.js";
import { completePython } from "toolbuilder/editing/python_completion.js";
import { completeSql } from "toolbuilder/editing/sql_completion.js";

const HIGHLIGHTER = tagHighlighter([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword, tags.bool, tags.null], class: "tok-keyword" },
  { tag: [tags.string, tags.special(tags.string)], class: "tok-string" },
  { tag: [tags.number, tags.integer, tags.float], class: "tok-number" },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], class: "tok-comment" },
  { tag: [tags.typeName, tags.standard(tags.name)], class: "tok-type" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], class: "tok-function" },
]);

/** Extensions of `settings.language`; `read()` gives the settings of any later moment. */
export function extendWithLanguage(settings, read) {
  const extend = { python: pythonOf, json: jsonOf }[settings.language] ?? sqlOf;
  return [extend(settings, read), syntaxHighlighting(HIGHLIGHTER)];
}

function jsonOf(_settings, read) {
  const autocomplete = completeJson(read);
  return [EditorState.languageData.of(() => [{ autocomplete, closeBrackets: { brackets: ["{", "[", '"'] } }]), indentUnit.of("  "), markJson];
}

function sqlOf({ dialect }, read) {
  const { language } = dialect === "sqlite" ? SQLite : PostgreSQL;
  const completion = language.data.of({ autocomplete: completeSql(read) });
  return [new LanguageSupport(language, completion), indentUnit.of("  "), markSqlParameters(dialect)];
}

function pythonOf({ parameters }, read) {
  const completions = [completePython(read), localCompletionSource].map((autocomplete) => pythonLanguage.data.of({ autocomplete }));
  return [new LanguageSupport(pythonLanguage, completions), indentUnit.of("    "), markPythonParameters(parameters.map(({ name }) => name))];
}
