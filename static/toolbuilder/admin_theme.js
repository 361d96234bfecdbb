// The back office keeps its colours in localStorage, the pages in a cookie; the cookie decides.
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
}
