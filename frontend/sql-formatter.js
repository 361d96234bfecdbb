// What our modules use of sql-formatter: three of its twenty dialects.
export { formatDialect, mariadb, postgresql, sqlite } from "sql-formatter";
