// Conditions of joins from foreign keys.
import { quoteName } from "toolbuilder/editing/words.js";

/** Conditions that join the newest of `sources` to an earlier one, as texts such as "d.dept_id = u.dept_id". */
export function joinConditions(sources, schema, dialect) {
  const joined = sources.at(-1);
  const table = joined && schema.find(joined.name, joined.schema);
  return table ? sources.slice(0, -1).reverse().flatMap((source) => conditionsBetween(joined, table, source, schema, dialect)) : [];
}

/** Tables that relate to one of `sources`, as {table, text} with the whole join behind the word JOIN. */
export function relatedJoins(sources, schema, dialect) {
  const aliases = new Set(sources.map(({ alias, name }) => alias || name));
  return sources.flatMap((source) => {
    const table = tableOf(source, schema);
    return table ? schema.relationsOf(table).flatMap((relation) => joinOf(relation, source, schema, { aliases, dialect })) : [];
  });
}

function tableOf(source, schema) {
  return source.columns ? undefined : schema.find(source.name, source.schema);
}

function joinOf({ columns, other, otherColumns }, source, schema, { aliases, dialect }) {
  const [name, otherSchema] = other.split(".").reverse();
  const table = schema.find(other) ?? schema.find(name, otherSchema);
  if (!table) {
    return [];
  }
  const alias = freeAlias(table.name, aliases);
  const path = schema.writtenName(table, dialect);
  const reference = alias === table.name ? path : `${path} ${quoteName(alias, dialect)}`;
  const text = `${reference} ON ${equalities(quoteName(alias, dialect), otherColumns, nameOf(source, dialect), columns, dialect)}`;
  return [{ table, text }];
}

/** The table's own name, or with a number behind it when the query has that already. */
function freeAlias(name, aliases) {
  let alias = name;
  for (let number = 2; aliases.has(alias); number += 1) {
    alias = `${name}_${number}`;
  }
  return alias;
}

function conditionsBetween(joined, table, source, schema, dialect) {
  const other = tableOf(source, schema);
  if (!other) {
    return [];
  }
  const names = [other.name, `${other.schema}.${other.name}`];
  return schema
    .relationsOf(table)
    .filter((relation) => names.includes(relation.other))
    .map(({ columns, otherColumns }) => equalities(nameOf(joined, dialect), columns, nameOf(source, dialect), otherColumns, dialect));
}

function nameOf({ alias, name }, dialect) {
  return quoteName(alias || name, dialect);
}

function equalities(left, leftColumns, right, rightColumns, dialect) {
  return leftColumns
    .map((column, index) => `${left}.${quoteName(column, dialect)} = ${right}.${quoteName(rightColumns[index], dialect)}`)
    .join(" AND ");
}
