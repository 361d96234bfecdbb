// One editor over a small schema; tests reach it as `window.editor` and read what it said from `window.said`.
import { createEditor } from "toolbuilder/editing/editor.js";
import { carryName } from "toolbuilder/editing/insertion.js";
import { readTokens } from "toolbuilder/editing/lexer.js";
import { schemaOfNames } from "toolbuilder/editing/schema.js";

const schema = {
  tables: [
    {
      name: "h_user",
      comment: "사용자 기본 정보",
      columns: [
        { name: "uid", type: "bigint" },
        { name: "user_nm", type: "text", comment: "사용자 이름" },
        { name: "dept_id", type: "integer", comment: "부서 번호" },
        { name: "Order", type: "text" },
      ],
    },
    { name: "h_dept", comment: "부서", columns: [{ name: "dept_id", type: "integer" }, { name: "dept_nm", type: "text", comment: "部署名" }] },
    { name: "stock", schema: "depot", comment: "在庫" },
  ],
  relations: [{ table: "h_user", columns: ["dept_id"], targetTable: "h_dept", targetColumns: ["dept_id"] }],
};
const textarea = document.getElementById("logic");

for (const name of ["editor:run", "editor:save", "editor:publish"]) {
  document.addEventListener(name, () => window.said.push(name));
}
document.getElementById("name").addEventListener("dragstart", (event) => carryName(event.dataTransfer, "dept_nm"));

/** A new editor over the page's text area, with `text` in it when it is given. */
function start(options = {}, text = textarea.value) {
  window.editor?.destroy();
  textarea.value = text;
  textarea.defaultValue = text;
  window.said = [];
  window.analysed = [];
  document.documentElement.dataset.analysed = 0;
  window.editor = createEditor(textarea, {
    schema: structuredClone(schema),
    loadColumns: async () => [{ name: "shelf", type: "text", comment: "棚" }],
    parameters: [{ name: "since", type: "date", description: "Only days from this one on" }],
    functions: [{ name: "round", signature: "round(x, digits)", comment: "Rounds" }],
    methods: [{ name: "upper", signature: "upper()" }],
    constants: [{ name: "pi", comment: "3.14159" }, { name: "since", comment: "Hidden by the parameter" }],
    keywords: ["for", "if"],
    nonce: document.querySelector("script[nonce]").nonce,
    onAnalyse: (each) => {
      document.documentElement.dataset.analysed = window.analysed.push(each);
    },
    ...options,
  });
}

window.readTokens = readTokens;
window.schemaOfNames = schemaOfNames;
window.start = start;
start();
