// Highlighting and completion of the languages, with parameters in amber: in SQL by our lexer, in Python by their names; the colours of the classes are in editor.css.
import {
  Decoration,
  EditorState,
  LanguageSupport,
  RangeSetBuilder,
  ViewPlugin,
  indentUnit,
  localCompletionSource,
  pythonLanguage,
  syntaxHighlighting,
  syntaxTree,
  tagHighlighter,
  tags,
} from "codemirror";
import { dialectOf } from "toolbuilder/editing/dialects.js";
import { completeJson, markJson } from "toolbuilder/editing/json_body.js";
import { readTokens } from "toolbuilder/editing/lexer.js";
import { completePython } from "toolbuilder/editing/python_completion.js";
import { completeSql } from "toolbuilder/editing/sql_completion.js";

const PARAMETER = Decoration.mark({ class: "cm-parameter" });
const CLAUSE = Decoration.mark({ class: "cm-parameter cm-clause-bracket" });
const HIGHLIGHTER = tagHighlighter([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword, tags.bool, tags.null], class: "tok-keyword" },
  { tag: [tags.string, tags.special(tags.string)], class: "tok-string" },
  { tag: [tags.number, tags.integer, tags.float], class: "tok-number" },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], class: "tok-comment" },
  { tag: [tags.typeName, tags.standard(tags.name)], class: "tok-type" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], class: "tok-function" },
]);

/** A source of completions per language; `read()` gives the settings of the moment in which it is asked. */
export function completionsOf(read) {
  return { sql: completeSql(read), python: completePython(read), json: completeJson(read) };
}

/** Extensions of `settings.language`. With the same `completions` as before, a list that is open stays open. */
export function extendWithLanguage(settings, completions) {
  const extend = { python: pythonOf, json: jsonOf }[settings.language] ?? sqlOf;
  return [extend(settings, completions), syntaxHighlighting(HIGHLIGHTER)];
}

function jsonOf(_settings, { json: autocomplete }) {
  return [EditorState.languageData.of(() => [{ autocomplete, closeBrackets: { brackets: ["{", "[", '"'] } }]), indentUnit.of("  "), markJson];
}

function sqlOf({ dialect }, { sql: autocomplete }) {
  const { language } = dialectOf(dialect).language;
  return [new LanguageSupport(language, language.data.of({ autocomplete })), indentUnit.of("  "), markSqlParameters(dialect)];
}

function pythonOf({ parameters }, { python }) {
  const completions = [python, localCompletionSource].map((autocomplete) => pythonLanguage.data.of({ autocomplete }));
  return [new LanguageSupport(pythonLanguage, completions), indentUnit.of("    "), markPythonParameters(parameters.map(({ name }) => name))];
}

/** Marks :name, {{name}} and the brackets of [[ ]] of a dialect. */
function markSqlParameters(dialect) {
  return markWith(
    class {
      update(view) {
        this.doc = view.state.doc;
        this.tokens = readTokens(view.state.doc.toString(), dialect).filter(({ kind }) => kind === "parameter" || kind === "clause");
      }

      marksOf(view) {
        if (this.doc !== view.state.doc) {
          this.update(view);
        }
        return this.tokens.map(({ kind, from, to }) => ({ from, to, mark: kind === "clause" ? CLAUSE : PARAMETER }));
      }
    },
  );
}

/** Marks the uses of `names` in Python; attributes and named arguments of that name are something else. */
function markPythonParameters(names) {
  const wanted = new Set(names);
  return markWith(
    class {
      marksOf(view) {
        const found = [];
        for (const { from, to } of view.visibleRanges) {
          syntaxTree(view.state).iterate({
            from,
            to,
            enter: (node) => {
              const isName = node.name === "VariableName" && !isArgumentName(node.node);
              if (isName && wanted.has(view.state.sliceDoc(node.from, node.to).normalize("NFKC"))) {
                found.push({ from: node.from, to: node.to, mark: PARAMETER });
              }
            },
          });
        }
        return found;
      }
    },
  );
}

function isArgumentName(node) {
  return node.parent?.name === "ArgList" && node.nextSibling?.name === "AssignOp";
}

function markWith(Reader) {
  return ViewPlugin.fromClass(
    class {
      constructor(view) {
        this.reader = new Reader();
        this.draw(view);
      }

      update(update) {
        const isReparsed = syntaxTree(update.startState) !== syntaxTree(update.state);
        if (update.docChanged || update.viewportChanged || isReparsed) {
          this.draw(update.view);
        }
      }

      draw(view) {
        const builder = new RangeSetBuilder();
        const { from: start, to: end } = view.viewport;
        for (const { from, to, mark } of this.reader.marksOf(view)) {
          if (from < end && to > start) {
            builder.add(from, to, mark);
          }
        }
        this.decorations = builder.finish();
      }
    },
    { decorations: ({ decorations }) => decorations },
  );
}
