// What our modules use of sql-formatter: two of its twenty dialects.
export { formatDialect, postgresql, sqlite } from "sql-formatter";
