// Writes filters and patches as SQL. Every value and dynamic path is a bound parameter; only checked field paths
// and names from `collections` become text.
//
// A record is the JSON in `doc`; indexed fields are also stored in columns (`x_<field>`). Expression indexes over `doc`
// would be rewritten by every patch: most patches change money and counts, and cost a third this way. `doc->>` yields SQL
// values (true is 1, a list is its JSON text), so ambiguous comparisons check the type, except on typed indexed fields.
import type { IndexSpec, Scale, Stored } from '#server/db/collection.ts';
import { checkPath, textAfterPrefix, type AnySort, type Clause, type PatchStep } from '#server/db/filter.ts';

export type Parameter = string | number | bigint | null;

export interface Table {
  readonly name: string;
  readonly textIds: boolean;
  readonly indexes: readonly IndexSpec[];
  /** Indexed fields and their columns. */
  readonly indexed: ReadonlyMap<string, string>;
  readonly indexedFields: readonly string[];
  /** No indexed field is a boolean. */
  readonly withoutBooleans: boolean;
}

export function describeTable(name: string, spec: { indexes: readonly IndexSpec[]; textIds?: boolean; withoutBooleans?: boolean }): Table {
  const indexed = new Map<string, string>();
  for (const index of spec.indexes) {
    for (const field of index.fields) {
      const path = checkPath(field.replace(/^-/, ''));
      if (path.includes('.')) throw new TypeError(`${name}.${path} is inside another field and cannot be indexed`);
      if (path !== 'id') indexed.set(path, `"x_${path}"`);
    }
  }
  return {
    name: checkPath(name),
    textIds: spec.textIds === true,
    indexes: spec.indexes,
    indexed,
    indexedFields: [...indexed.keys()],
    withoutBooleans: spec.withoutBooleans === true,
  };
}

export function insertRecord(table: Table): string {
  const columns = ['id', 'doc', ...table.indexed.values()];
  return `INSERT INTO "${table.name}" (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
}

/** Parameters of `insertRecord`. */
export function recordParameters(table: Table, record: Stored): Parameter[] {
  const { id } = record;
  if (table.textIds ? typeof id !== 'string' : !Number.isSafeInteger(id)) {
    throw new TypeError(`Ids in ${table.name} are ${table.textIds ? 'texts' : 'whole numbers'}`);
  }
  const parameters: Parameter[] = [id, JSON.stringify(record)];
  const { indexedFields } = table;
  for (let index = 0; index < indexedFields.length; index += 1) {
    const field = indexedFields[index] ?? '';
    const value: unknown = Reflect.get(record, field);
    if (typeof value === 'string') parameters.push(value);
    else if (value === undefined) parameters.push(null);
    else parameters.push(Number.isSafeInteger(value) ? BigInt(Number(value)) : columnValue(table, field, value));
  }
  return parameters;
}

function columnValue(table: Table, field: string, value: unknown): Parameter {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return exactNumber(value);
    case 'boolean':
      return value ? 1n : 0n;
    default:
      if (value === undefined || value === null) return null;
      throw new TypeError(`${table.name}.${field} is indexed and holds scalars only`);
  }
}

export function jsonPath(path: string): string {
  return path.includes('.') ? `$."${path.replaceAll('.', '"."')}"` : `$."${path}"`;
}

/** Writes SQL from left to right and collects the parameters. */
export class SqlText {
  readonly table: Table;
  readonly parameters: Parameter[] = [];
  readonly #isRepeated: boolean;
  /** Number of comparisons that an index can answer; `opaque` if there are others. */
  comparisons = 0;
  opaque = false;
  /** Fields with an upper numeric or lower text bound in a conjunction: their other bound needs no closing. */
  #below = new Set<string>();
  #above = new Set<string>();

  /** @param isRepeated whether the statement is stored for a change that repeats, so that its variable paths do not add to the number of statements */
  constructor(table: Table, { isRepeated = false } = {}) {
    this.table = table;
    this.#isRepeated = isRepeated;
  }

  bind(value: Parameter): string {
    this.parameters.push(value);
    return '?';
  }

  /**
   * JSON path as a literal, or bound if it has a variable part (`leases.<process>`), to limit the number of statements. A literal is faster: binding
   * a text copies it.
   */
  path(path: string): string {
    const text = jsonPath(path);
    return path.includes('.') && !this.#isRepeated ? this.bind(text) : `'${text.replaceAll("'", "''")}'`;
  }

  field(path: string): string {
    if (path === 'id') return 'id';
    return this.table.indexed.get(path) ?? `doc->>${this.path(path)}`;
  }

  /** Type of a field if its value does not imply it; avoids reading the record if an index is enough. */
  typeOf(path: string): string {
    if (path === 'id' || (this.table.withoutBooleans && this.table.indexed.has(path))) return "''";
    return `json_type(doc, ${this.path(path)})`;
  }

  /** Bucket of a number on a scale. */
  place({ path, least, ratio, last }: Scale): string {
    const field = () => `(${this.field(checkPath(path))})`;
    // Texts are greater than all numbers.
    const isNumber = `${field()} >= 0 AND ${field()} < ${Number.MAX_SAFE_INTEGER}`;
    const isBelow = `${field()} < ${least}`;
    const steps = `CAST(ln(${field()} * 1.0 / ${least}) * ${1 / Math.log(ratio)} AS INTEGER)`;
    return `CASE WHEN ${isNumber} THEN CASE WHEN ${isBelow} THEN 0 ELSE min(${last}, 1 + ${steps}) END END`;
  }

  isIndexed(path: string): boolean {
    return path === 'id' || this.table.indexed.has(path);
  }

  where(clause: Clause): string {
    switch (clause.op) {
      case 'and':
        return clause.clauses.length === 0 ? '1' : this.#conjunction(clause);
      case 'or':
        this.opaque = true;
        return clause.clauses.length === 0 ? '0' : `(${clause.clauses.map((part) => this.where(part)).join(' OR ')})`;
      case 'eq':
        return this.#equals(clause.path, clause.value);
      case 'ne':
        this.opaque = true;
        return `(${this.#equals(clause.path, clause.value)}) IS NOT TRUE`;
      case 'in':
        return this.#in(clause.path, clause.values);
      case 'gt':
        return this.#range(clause.path, '>', clause.value);
      case 'gte':
        return this.#range(clause.path, '>=', clause.value);
      case 'lt':
        return this.#range(clause.path, '<', clause.value);
      case 'lte':
        return this.#range(clause.path, '<=', clause.value);
      case 'unindexedEq':
        // The plus prevents use of an index.
        if (clause.path === 'id' || !this.table.indexed.has(clause.path)) return this.#equals(clause.path, clause.value);
        return `+${this.#compared(clause.path)} = ${this.bind(clause.value)}`;
      case 'startsWith': {
        // A prefix usually matches many rows, so only the key uses an index; the plus prevents others.
        const sign = clause.path === 'id' ? '' : '+';
        const lower = `${sign}${this.#compared(clause.path)} >= ${this.bind(clause.value)}`;
        const after = textAfterPrefix(clause.value);
        const upper = after === undefined ? '' : ` AND ${sign}${this.#compared(clause.path)} < ${this.bind(after)}`;
        return `(${lower}${upper}${this.isIndexed(clause.path) ? '' : this.#isText(clause.path)})`;
      }
      case 'contains':
        this.opaque = true;
        // lower() folds ASCII only, as specified.
        if (clause.path === 'id') return this.table.textIds ? `instr(lower(id), lower(${this.bind(clause.value)})) > 0` : '0';
        return `(instr(lower(${this.field(clause.path)}), lower(${this.bind(clause.value)})) > 0${this.#isTextAt(clause.path)})`;
      case 'exists':
        this.opaque = true;
        if (clause.path === 'id') return clause.value ? '1' : '0';
        return `json_type(doc, ${this.path(clause.path)}) IS ${clause.value ? 'NOT ' : ''}NULL`;
    }
  }

  order(sort: AnySort): string {
    return sort.map(([path, direction]) => this.field(path) + (direction === -1 ? ' DESC' : '')).join(', ');
  }

  /** SET part of an UPDATE for a patch. */
  patched(steps: readonly PatchStep[]): string {
    const assignments: string[] = [];
    for (const step of steps) {
      if (step.op !== 'unset') assignments.push(`, ${this.path(step.path)}, ${this.#changed(step, () => `doc->>${this.path(step.path)}`)}`);
    }
    let doc = assignments.length === 0 ? 'doc' : `json_set(doc${assignments.join('')})`;
    const removed = steps.filter((step) => step.op === 'unset');
    if (removed.length > 0) doc = `json_remove(${doc}${removed.map((step) => `, ${this.path(step.path)}`).join('')})`;
    let result = `doc = ${doc}`;
    for (const step of steps) {
      const column = this.table.indexed.get(step.path);
      if (column === undefined) continue;
      result += `, ${column} = `;
      if (step.op === 'unset') result += 'NULL';
      else if (step.op === 'set') result += this.bind(columnValue(this.table, step.path, step.value));
      else result += this.#changed(step, () => column);
    }
    return result;
  }

  #changed(step: Exclude<PatchStep, { op: 'unset' }>, before: () => string): string {
    // SQLite writes an integer as JSON does, without parsing it as JSON first.
    if (step.op === 'set' && Number.isSafeInteger(step.value)) return this.bind(BigInt(Number(step.value)));
    if (step.op === 'set') return `json(${this.bind(JSON.stringify(step.value) ?? 'null')})`;
    const value = exactNumber(step.value);
    if (step.op === 'increment') return `coalesce(${before()}, 0) + ${this.bind(value)}`;
    return `max(coalesce(${before()}, ${this.bind(value)}), ${this.bind(value)})`;
  }

  #compared(path: string): string {
    if (this.isIndexed(path)) this.comparisons += 1;
    else this.opaque = true;
    return this.field(path);
  }

  #conjunction(clause: Extract<Clause, { clauses: unknown }>): string {
    const [below, above] = [this.#below, this.#above];
    // Bounds next to an `or` apply to all of its parts; bounds within a part apply to that part alone.
    this.#below = new Set(below);
    this.#above = new Set(above);
    this.#note(clause);
    const text = clause.clauses.map((part) => this.where(part)).join(' AND ');
    this.#below = below;
    this.#above = above;
    return `(${text})`;
  }

  #note(clause: Clause): void {
    if ((clause.op === 'lt' || clause.op === 'lte') && typeof clause.value === 'number') this.#below.add(clause.path);
    if ((clause.op === 'gt' || clause.op === 'gte') && typeof clause.value === 'string') this.#above.add(clause.path);
    if (clause.op === 'and') for (const part of clause.clauses) this.#note(part);
  }

  #range(path: string, operator: string, value: number | string): string {
    // Numbers sort before all texts: a range open towards the other type is closed with the empty text between them,
    // unless the other bound closes it: with two bounds on one side, SQLite searches by the first and reads everything
    // that the second excludes.
    if (typeof value === 'number' && operator.startsWith('>') && !this.#below.has(path)) {
      return `(${this.#compared(path)} ${operator} ${this.bind(value)} AND ${this.#compared(path)} < '')`;
    }
    if (typeof value === 'string' && operator.startsWith('<') && !this.#above.has(path)) {
      return `(${this.#compared(path)} >= '' AND ${this.#compared(path)} ${operator} ${this.bind(value)})`;
    }
    return `${this.#compared(path)} ${operator} ${this.bind(value)}`;
  }

  #equals(path: string, value: string | number | boolean | null): string {
    if (path === 'id') return this.#isId(value) ? `${this.#compared(path)} = ${this.bind(value)}` : '0';
    if (this.table.indexed.has(path)) {
      if (value === null) return `(${this.#compared(path)} IS NULL AND json_type(doc, ${this.path(path)}) = 'null')`;
      return `${this.#compared(path)} = ${this.bind(typeof value === 'boolean' ? Number(value) : value)}`;
    }
    this.opaque = true;
    const scalar = this.#equalsScalar(path, value);
    return `(${scalar} OR (json_type(doc, ${this.path(path)}) = 'array' AND EXISTS (SELECT 1 FROM json_each(doc, ${this.path(path)}) AS e WHERE ${this.#element(value)})))`;
  }

  #equalsScalar(path: string, value: string | number | boolean | null): string {
    if (value === null || typeof value === 'boolean') return `json_type(doc, ${this.path(path)}) = '${String(value)}'`;
    const equal = `${this.field(path)} = ${this.bind(value)}`;
    if (value === 0 || value === 1) return `(${equal} AND json_type(doc, ${this.path(path)}) IN ('integer', 'real'))`;
    if (typeof value === 'string' && /^[[{]/.test(value)) return `(${equal} AND json_type(doc, ${this.path(path)}) = 'text')`;
    return equal;
  }

  /** SQLite would convert the text '12' to the number 12. */
  #isId(value: string | number | boolean | null): value is string | number {
    return typeof value === (this.table.textIds ? 'string' : 'number');
  }

  #element(value: string | number | boolean | null): string {
    if (value === null || typeof value === 'boolean') return `e.type = '${String(value)}'`;
    return `e.type IN (${typeof value === 'string' ? "'text'" : "'integer', 'real'"}) AND e.atom = ${this.bind(value)}`;
  }

  #in(path: string, values: readonly (string | number | boolean | null)[]): string {
    const [only] = values;
    if (only === undefined) return '0';
    if (values.length === 1) return this.#equals(path, only);
    if (path === 'id')
      return `${this.#compared(path)} IN (SELECT value FROM json_each(${this.bind(JSON.stringify(values.filter((value) => this.#isId(value))))}))`;
    if (this.table.indexed.has(path)) {
      const plain = values.filter((value) => value !== null).map((value) => (typeof value === 'boolean' ? Number(value) : value));
      const listed = `${this.#compared(path)} IN (SELECT value FROM json_each(${this.bind(JSON.stringify(plain))}))`;
      return plain.length === values.length ? listed : `(${listed} OR ${this.#equals(path, null)})`;
    }
    this.opaque = true;
    // json_each yields the elements of a list, and a scalar as itself.
    return (
      `(json_type(doc, ${this.path(path)}) <> 'object' AND EXISTS (SELECT 1 FROM json_each(doc, ${this.path(path)}) AS e, ` +
      `json_each(${this.bind(JSON.stringify(values))}) AS w WHERE e.atom IS w.atom AND ` +
      `(e.type = w.type OR (e.type IN ('integer', 'real') AND w.type IN ('integer', 'real')))))`
    );
  }

  /** A column avoids reading the record. */
  #isTextAt(path: string): string {
    const column = this.table.indexed.get(path);
    return column === undefined ? this.#isText(path) : ` AND typeof(${column}) = 'text'`;
  }

  #isText(path: string): string {
    return ` AND json_type(doc, ${this.path(path)}) = 'text'`;
  }
}

/** node:sqlite binds every number as a float; integers must stay integers, or JSON would contain 5.0. */
function exactNumber(value: number): number | bigint {
  return Number.isSafeInteger(value) ? BigInt(value) : value;
}
