// The tables of a data source as the completion asks for them.
import { quoteName, unquoteName } from "toolbuilder/editing/words.js";

/**
 * Schema data from {table: [column]}, both as a statement writes them.
 * A table that has no columns in it is given none, so that they are loaded when they are needed.
 */
export function schemaOfNames(names, dialect = "postgresql") {
  const plain = (text) => unquoteName(text, dialect);
  const tables = Object.entries(names).map(([insert, columns]) => {
    const path = insert.match(/"(?:[^"]|"")*"|[^."]+/g).map(plain);
    const known = columns.map((column) => ({ name: plain(column), insert: column }));
    return { insert, name: path.at(-1), ...(path.length > 1 && { schema: path.at(-2) }), ...(known.length && { columns: known }) };
  });
  return { tables };
}

/**
 * `data` is {tables: [{name, schema, insert, comment, columns: [{name, insert, type, comment}]}], relations: [{table, columns,
 * targetTable, targetColumns}], functions: [{name, signature, comment}], defaultSchema}; every part may be absent, and `insert`
 * is the name as a statement writes it. A table without `columns` is asked for with `loadColumns(table)`, which answers a
 * promise of columns, once.
 */
export class Schema {
  constructor(data = {}, loadColumns = null) {
    this.tables = data.tables ?? [];
    this.relations = data.relations ?? [];
    this.functions = data.functions ?? null;
    this.defaultSchema = data.defaultSchema ?? "public";
    this.loadColumns = loadColumns;
    this.loading = new Map();
    this.byName = new Map();
    for (const table of this.tables) {
      const known = this.byName.get(table.name) ?? [];
      this.byName.set(table.name, [...known, table]);
    }
  }

  /** The table of this name; without a schema's name the one of the default schema comes first. */
  find(name, schema = "") {
    const found = this.byName.get(name) ?? [];
    const wanted = schema || this.defaultSchema;
    return found.find((table) => (table.schema ?? this.defaultSchema) === wanted) ?? (schema ? undefined : found[0]);
  }

  /** Columns of a table; a promise of them while they are loaded. */
  columnsOf(table) {
    if (table.columns || !this.loadColumns) {
      return table.columns ?? [];
    }
    if (!this.loading.has(table)) {
      this.loading.set(table, this.load(table));
    }
    return this.loading.get(table);
  }

  async load(table) {
    try {
      table.columns = await this.loadColumns(table);
    } catch {
      // The next completion asks again: the network may be back.
      this.loading.delete(table);
    }
    return table.columns ?? [];
  }

  /** The table's name, behind that of its schema unless that is the default. */
  labelOf(table) {
    return this.pathOf(table).join(".");
  }

  /** The same as a statement writes it. */
  writtenName(table, dialect) {
    return table.insert ?? this.pathOf(table).map((part) => quoteName(part, dialect)).join(".");
  }

  pathOf(table) {
    const isDefault = !table.schema || table.schema === this.defaultSchema || table.insert === table.name;
    return isDefault ? [table.name] : [table.schema, table.name];
  }

  /** Relations of a table in both directions, as {columns, other, otherColumns}. */
  relationsOf(table) {
    const isIt = (name) => name === table.name || name === `${table.schema}.${table.name}`;
    return this.relations.flatMap(({ table: from, columns, targetTable, targetColumns }) => [
      ...(isIt(from) ? [{ columns, other: targetTable, otherColumns: targetColumns }] : []),
      ...(isIt(targetTable) ? [{ columns: targetColumns, other: from, otherColumns: columns }] : []),
    ]);
  }
}
