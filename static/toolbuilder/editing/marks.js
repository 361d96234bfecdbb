// Marks parameters in amber: in SQL by our lexer, in Python by the names of the parameters.
import { Decoration, RangeSetBuilder, ViewPlugin, syntaxTree } from "codemirror";
import { readTokens } from "toolbuilder/editing/lexer.js";

const PARAMETER = Decoration.mark({ class: "cm-parameter" });
const CLAUSE = Decoration.mark({ class: "cm-parameter cm-clause-bracket" });

/** Marks :name, {{name}} and the brackets of [[ ]] of a dialect. */
export function markSqlParameters(dialect) {
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
export function markPythonParameters(names) {
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
