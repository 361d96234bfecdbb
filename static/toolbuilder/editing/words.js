// What a dialect calls by fixed names: keywords, functions and types that queries use, and how names are quoted.
import { dialectOf } from "toolbuilder/editing/dialects.js";

/** Keywords of queries in capitals. */
export function keywordsOf(dialect) {
  return dialectOf(dialect).keywords.split(" ");
}

/** Functions that every installation has, as {name, signature}. */
export function functionsOf(dialect) {
  const signatures = dialectOf(dialect).functions.match(/\w+\([^)]*\)/g);
  return signatures.map((signature) => ({ name: signature.slice(0, signature.indexOf("(")), signature }));
}

/** Types that a cast names. */
export function typesOf(dialect) {
  return dialectOf(dialect)
    .types.split(" ")
    .map((name) => name.replace("\u00a0", " "));
}

/** The name as a statement must write it: in quotes when it would be read as another name or as a keyword. */
export function quoteName(name, dialect) {
  const { foldsToSmall, mark, reserved } = dialectOf(dialect);
  const isPlain = foldsToSmall ? /^[a-z_\u0080-\uffff][a-z0-9_$\u0080-\uffff]*$/ : /^[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*$/;
  const isReserved = reserved.has(name.toLowerCase());
  return isPlain.test(name) && !isReserved ? name : mark + name.replaceAll(mark, mark + mark) + mark;
}

/** The name that the database looks for when a statement writes `written`. */
export function unquoteName(written, dialect) {
  const quote = written[0];
  if ('"`['.includes(quote) && written.length > 1) {
    const close = quote === "[" ? "]" : quote;
    return written.slice(1, -1).replaceAll(close + close, close);
  }
  return !dialectOf(dialect).foldsToSmall ? written : written.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
