// The back office keeps its colours in localStorage, the pages in a cookie; the cookie decides. And what Django's widgets leave without a name has one.
"use strict";
{
  const YEAR_S = 365 * 86_400;
  const [, chosen] = /(?:^|; )theme=(auto|light|dark)(?:;|$)/.exec(document.cookie) ?? [, "auto"];
  localStorage.setItem("theme", chosen);

  const root = document.documentElement;
  new MutationObserver(() => {
    const secure = location.protocol === "https:" ? "; secure" : "";
    document.cookie = `theme=${root.dataset.theme}; path=/; max-age=${YEAR_S}; samesite=lax${secure}`;
  }).observe(root, { attributeFilter: ["data-theme"] });

  const UNNAMED = ".select2-search__field:not([aria-label]), .vDateField:not([aria-label]), .vTimeField:not([aria-label])";
  const nameFields = () => {
    for (const field of document.querySelectorAll(UNNAMED)) {
      const row = field.closest(".form-row");
      const words = [row?.querySelector("label, legend")?.textContent, field.previousSibling?.textContent];
      field.setAttribute("aria-label", words.map((word) => word?.trim()).filter(Boolean).join(" ") || field.name || field.type);
    }
    document.querySelectorAll("span.help-tooltip[aria-label]:not([role])").forEach((help) => help.setAttribute("role", "img"));
  };
  addEventListener("load", () => {
    nameFields();
    new MutationObserver(nameFields).observe(document.body, { childList: true, subtree: true });
  });
}
