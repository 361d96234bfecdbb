// SQL, Python or HTTP, and the data source: what the editor completes and colours follows the choice.

const LANGUAGES = { SQL: "sql", PYTHON: "python" };

/** Follows both choices of the form; `onSource(name)` is told of another data source. */
export function watchKinds(form, editor, { onSource }) {
  const texts = {};
  let kind = form.elements.tool_type.value;
  const source = form.elements.data_source;

  const showKind = () => {
    // Styles of both ask for it: with :has() each letter in the logic would have the whole page's styles computed again.
    for (const id of ["panes", "logic"]) {
      document.getElementById(id).dataset.kind = kind;
    }
  };
  form.addEventListener("change", ({ target }) => {
    if (target.name === "tool_type" && target.value !== kind) {
      // The other text comes back when its kind is chosen again.
      texts[kind] = editor.text;
      kind = target.value;
      // A request has fields of its own; the text of another kind waits for its return.
      editor.configure({ language: LANGUAGES[kind] ?? "sql" });
      editor.setText(texts[kind] ?? "");
      showKind();
    } else if (target === source) {
      showSource(source);
      editor.configure({ dialect: source.selectedOptions[0].dataset.engine || "postgresql" });
      onSource(source.value);
    }
  });
}

function showSource(source) {
  const { reason } = source.selectedOptions[0].dataset;
  const refused = document.getElementById("source-refused");
  document.getElementById("source-usable").hidden = reason !== "";
  refused.hidden = reason === "";
  refused.title = reason;
}
