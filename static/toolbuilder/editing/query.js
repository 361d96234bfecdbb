// What a position of a statement sees: the tables of its query and of the queries around it, and the clause it stands in.
import { unquoteName } from "toolbuilder/editing/words.js";

const CLAUSES = new Set("SELECT FROM JOIN ON USING WHERE GROUP HAVING ORDER LIMIT OFFSET WINDOW FETCH WITH VALUES".split(" "));
const SET_WORDS = new Set(["UNION", "INTERSECT", "EXCEPT"]);
const QUERY_STARTS = new Set(["SELECT", "WITH", "VALUES", "TABLE"]);
// Words behind a table's name that are not its alias.
const AFTER_TABLE = new Set(
  "ON USING JOIN INNER LEFT RIGHT FULL CROSS NATURAL OUTER WHERE GROUP HAVING ORDER LIMIT OFFSET WINDOW FETCH UNION INTERSECT EXCEPT TABLESAMPLE FOR SELECT INDEXED NOT AND OR SET".split(
    " ",
  ),
);

/**
 * What `position` sees: {sources, clause, common}. `sources` come innermost query first, each {name, schema, alias, columns, from},
 * where `columns` are the names that a subquery or a common table gives (null for tables of the schema); `common` are the common
 * tables. `clause` is the last keyword such as FROM or ON before the position. `isQuery` is false in prose and in the brackets of a function.
 */
export function readQuery(text, tokens, position, dialect) {
  const reader = new QueryReader(text, tokens, position, dialect);
  return reader.read();
}

class QueryReader {
  constructor(text, tokens, position, dialect) {
    this.text = text;
    this.dialect = dialect;
    this.position = position;
    this.tokens = tokens.filter(({ kind }) => kind !== "comment" && kind !== "clause");
    this.keys = this.tokens.map(({ kind, from, to }) => (kind === "word" ? text.slice(from, to).toUpperCase() : text.slice(from, to)));
    this.closers = this.matchBrackets();
  }

  matchBrackets() {
    const closers = new Map();
    const opened = [];
    this.tokens.forEach(({ kind }, index) => {
      if (kind === "open") {
        opened.push(index);
      } else if (kind === "close" && opened.length) {
        closers.set(opened.pop(), index);
      }
    });
    return closers;
  }

  read() {
    const found = { sources: [], common: [], clause: "", isQuery: this.isInQuery() };
    for (const [start, end] of this.regionsAround()) {
      const common = this.readCommonTables(start, end);
      const [from, to] = this.segmentAround(start, end);
      found.common.push(...common);
      found.sources.push(...this.readSources(from, to, found.common));
      found.clause ||= this.clauseAt(from, to);
    }
    this.fillColumns(found);
    return found;
  }

  /** Whether the text is a query, and the position in no brackets but those of queries and of joined tables. */
  isInQuery() {
    const opened = this.tokens.findLastIndex(({ kind, to }, index) => {
      return kind === "open" && to <= this.position && this.position <= (this.tokens[this.closers.get(index)]?.from ?? Infinity);
    });
    const before = this.keys[opened - 1];
    const isOfQuery = QUERY_STARTS.has(this.keys[opened + 1]) || ["FROM", "JOIN", ",", "("].includes(before);
    return QUERY_STARTS.has(this.keys.find((key) => key !== "(")) && (opened < 0 || isOfQuery);
  }

  /** Queries around the position as [first token, token behind], the innermost first. */
  regionsAround() {
    const regions = [];
    this.tokens.forEach(({ kind, to }, index) => {
      const closer = this.closers.get(index) ?? this.tokens.length;
      const isAround = to <= this.position && this.position <= (this.tokens[closer]?.from ?? Infinity);
      if (kind === "open" && isAround && QUERY_STARTS.has(this.keys[index + 1])) {
        regions.unshift([index + 1, closer]);
      }
    });
    return [...regions, [0, this.tokens.length]];
  }

  /** Indices of the region's own tokens, without those in brackets. */
  *ownTokens(start, end) {
    for (let index = start; index < end; index += 1) {
      yield index;
      // A bracket that is still open hides nothing: what follows was there before it was typed.
      if (this.closers.has(index)) {
        index = this.closers.get(index) - 1;
      }
    }
  }

  segmentAround(start, end) {
    let [from, to] = [start, end];
    for (const index of this.ownTokens(start, end)) {
      if (!this.isWord(index, SET_WORDS)) {
        continue;
      }
      if (this.tokens[index].to <= this.position) {
        from = index + 1;
      } else {
        to = index;
        break;
      }
    }
    return [from, to];
  }

  isWord(index, words) {
    const token = this.tokens[index];
    // "u. FROM" is a name that is being typed before FROM; "u.from" is a column.
    const isMember = this.keys[index - 1] === "." && this.tokens[index - 1].to === token?.from;
    return token?.kind === "word" && words.has(this.keys[index]) && !isMember;
  }

  clauseAt(from, to) {
    let clause = "";
    for (const index of this.ownTokens(from, to)) {
      if (this.tokens[index].to > this.position) {
        break;
      }
      if (this.isWord(index, CLAUSES) && !this.isComparison(index)) {
        clause = this.keys[index];
      }
    }
    return clause;
  }

  /** Whether FROM at `index` ends IS DISTINCT FROM. */
  isComparison(index) {
    return this.keys[index] === "FROM" && this.keys[index - 1] === "DISTINCT" && ["IS", "NOT"].includes(this.keys[index - 2]);
  }

  readCommonTables(start, end) {
    if (this.keys[start] !== "WITH") {
      return [];
    }
    const found = [];
    let index = this.keys[start + 1] === "RECURSIVE" ? start + 2 : start + 1;
    while (index < end && this.isName(index)) {
      const name = this.nameAt(index);
      let named = null;
      if (this.keys[index + 1] === "(") {
        named = this.namesIn(index + 1);
        index = this.closers.get(index + 1) ?? end;
      }
      while (index < end && this.keys[index] !== "(") {
        index += 1;
      }
      const closer = this.closers.get(index) ?? end;
      found.push({ name, columns: named, region: [index + 1, closer] });
      index = this.keys[closer + 1] === "," ? closer + 2 : end;
    }
    return found;
  }

  isName(index) {
    return ["word", "quotedName"].includes(this.tokens[index]?.kind);
  }

  nameAt(index) {
    const { from, to } = this.tokens[index];
    return unquoteName(this.text.slice(from, to), this.dialect);
  }

  namesIn(open) {
    const names = [];
    for (let index = open + 1; index < (this.closers.get(open) ?? this.tokens.length); index += 1) {
      if (this.isName(index)) {
        names.push(this.nameAt(index));
      }
    }
    return names;
  }

  readSources(from, to, common) {
    const sources = [];
    let expectsTable = false;
    let isInFrom = false;
    for (const index of this.ownTokens(from, to)) {
      if (index < (sources.at(-1)?.end ?? 0)) {
        continue;
      }
      if (this.isWord(index, CLAUSES) && !this.isComparison(index)) {
        isInFrom = ["FROM", "JOIN"].includes(this.keys[index]) || (isInFrom && ["ON", "USING"].includes(this.keys[index]));
        expectsTable = ["FROM", "JOIN"].includes(this.keys[index]);
      } else if (this.keys[index] === "," && isInFrom) {
        expectsTable = true;
      } else if (expectsTable && !["LATERAL", "ONLY"].includes(this.keys[index])) {
        expectsTable = false;
        sources.push(...this.readSource(index, to, common));
      }
    }
    return sources;
  }

  readSource(index, end, common) {
    const source = { name: "", schema: "", alias: "", columns: null, from: this.tokens[index].from };
    let next = index;
    if (this.keys[index] === "(") {
      const closer = this.closers.get(index) ?? end;
      source.region = [index + 1, closer];
      next = closer + 1;
    } else if (this.isName(index) && !this.isWord(index, AFTER_TABLE)) {
      next = this.readTableName(source, index);
    } else {
      return [];
    }
    return [this.readAlias(source, next, common)];
  }

  readTableName(source, index) {
    source.name = this.nameAt(index);
    let next = index + 1;
    while (this.keys[next] === "." && this.isName(next + 1) && !this.isWord(next + 1, AFTER_TABLE)) {
      source.schema = source.name;
      source.name = this.nameAt(next + 1);
      next += 2;
    }
    if (this.keys[next] === "(") {
      source.columns = [];
      next = (this.closers.get(next) ?? this.tokens.length) + 1;
    }
    return next;
  }

  readAlias(source, index, common) {
    let next = this.keys[index] === "AS" ? index + 1 : index;
    if (this.isName(next) && !this.isWord(next, AFTER_TABLE) && !this.isWord(next, CLAUSES)) {
      source.alias = this.nameAt(next);
      next += 1;
      if (this.keys[next] === "(") {
        source.columns = this.namesIn(next);
        next = (this.closers.get(next) ?? this.tokens.length) + 1;
      }
    }
    source.common = source.schema ? undefined : common.find(({ name }) => name === source.name);
    return { ...source, end: next };
  }

  fillColumns({ sources, common }) {
    for (const table of common) {
      table.columns ??= this.outputColumns(table.region);
    }
    for (const source of sources) {
      if (source.region) {
        source.columns ??= this.outputColumns(source.region);
      } else if (source.common) {
        source.columns ??= source.common.columns;
      }
    }
  }

  /** Names of what a query's SELECT gives; a "*" is left out. */
  outputColumns([start, end]) {
    const names = [];
    let last = null;
    let isInList = false;
    for (const index of this.ownTokens(start, end)) {
      if (this.isWord(index, CLAUSES) && !this.isComparison(index)) {
        if (isInList) {
          break;
        }
        isInList = this.keys[index] === "SELECT";
        last = null;
      } else if (this.keys[index] === "," && isInList) {
        names.push(last);
        last = null;
      } else if (isInList) {
        last = this.isName(index) ? this.nameAt(index) : this.keys[index] === "(" || this.keys[index] === ")" ? last : null;
      }
    }
    return [...names, last].filter((name) => name && name !== "distinct");
  }
}
