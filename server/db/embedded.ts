// The embedded engine: `node:sqlite`, one file, a table per collection with the record as JSON. Short reads and all
// writes run on the main thread (a few microseconds each); long reads run in worker threads.
import type { Collection, Filter, FindOptions, GroupRequest } from '#server/db/collection.ts';
import type { Records } from '#server/db/all-records.ts';
import { collections } from '#server/db/collections.ts';
import type { CollectionName, Database, QueryPlan, UnorderedWrite, Write } from '#server/db/database.ts';
import { Checkpoints } from '#server/db/embedded-checkpoints.ts';
import { EmbeddedCollection } from '#server/db/embedded-collection.ts';
import { EmbeddedConnection } from '#server/db/embedded-connection.ts';
import { EmbeddedEngine } from '#server/db/embedded-engine.ts';
import { applySchema, openFile } from '#server/db/embedded-file.ts';
import { describeTable, type Table } from '#server/db/embedded-sql.ts';
import { parseFilter } from '#server/db/filter.ts';
import { silentLog, type ThreadLog } from '#server/db/thread-log.ts';
import { RepeatedChange } from '#server/db/repeated-change.ts';
import { IdBlocks } from '#server/db/ids.ts';

/**
 * Opens a database file, which is created if it does not exist, and updates its tables unless `hasSchema` is set.
 * @throws {DatabaseFileError}
 */
export async function openEmbedded(
  file: string,
  options: { synchronous?: 'normal' | 'full'; log?: ThreadLog; hasSchema?: boolean } = {},
): Promise<Database> {
  const native = openFile(file, options.synchronous ?? 'normal');
  const connection = new EmbeddedConnection(native);
  const tables = new Map<string, Table>();
  for (const [name, spec] of Object.entries(collections)) tables.set(name, describeTable(name, spec));
  try {
    if (options.hasSchema !== true) await connection.write(() => connection.transaction(() => applySchema(native, [...tables.values()])));
  } catch (error) {
    await connection.close();
    throw error;
  }
  return new EmbeddedDatabase(file, connection, tables, options.log ?? silentLog);
}

class EmbeddedDatabase implements Database {
  readonly kind = 'embedded';
  readonly #engine: EmbeddedEngine;
  readonly #checkpoints: Checkpoints;
  readonly #ids: IdBlocks;
  #closed: Promise<void> | undefined;

  constructor(file: string, connection: EmbeddedConnection, tables: ReadonlyMap<string, Table>, log: ThreadLog) {
    this.#engine = new EmbeddedEngine(file, connection, tables, log);
    this.#ids = new IdBlocks((name, size) => this.#engine.drawIds(name, size));
    this.#checkpoints = new Checkpoints(file, log);
  }

  collection<Name extends CollectionName>(name: Name): Collection<Records[Name]> {
    return new EmbeddedCollection<Records[Name]>(this.#engine, this.#engine.table(name));
  }

  write(batch: readonly Write[]): Promise<boolean[]> {
    const { connection } = this.#engine;
    return connection.write(() => connection.transaction(() => this.#applyAll(batch)));
  }

  writeUnordered(batch: readonly UnorderedWrite[]): Promise<number> {
    const { connection } = this.#engine;
    const apply = (step: UnorderedWrite): boolean =>
      'remove' in step ? this.#engine.removed(this.#engine.table(step.from), parseFilter(step.remove)) : this.#apply(step);
    return connection.write(() => connection.transaction(() => batch.filter(apply).length));
  }

  #applyAll(batch: readonly Write[]): boolean[] {
    const results: boolean[] = [];
    for (const step of batch) results.push(this.#apply(step));
    return results;
  }

  #apply(step: Write): boolean {
    if ('insert' in step) return this.#engine.insert(this.#engine.table(step.into), step.insert, step.ignoreConflict === true);
    if (step instanceof RepeatedChange) return this.#engine.repeated(step);
    return this.#engine.patched(this.#engine.table(step.of), parseFilter(step.where), step.patch);
  }

  nextId(name: CollectionName): Promise<number> {
    return this.#ids.next(name);
  }

  nextIds(name: CollectionName, count: number): Promise<number[]> {
    return this.#ids.several(name, count);
  }

  async ping(): Promise<void> {
    await this.#engine.connection.read(() => this.#engine.connection.all('SELECT 1 FROM counters LIMIT 1', []));
  }

  async explain<Name extends CollectionName>(
    name: Name,
    filter: Filter<Records[Name]>,
    options: FindOptions<Records[Name]> = {},
  ): Promise<QueryPlan> {
    const query = this.#engine.select('doc', this.#engine.table(name), parseFilter(filter), options);
    const { index, scans, sorts } = this.#engine.plan(query);
    return { index, scans, sorts };
  }

  async explainGroup<Name extends CollectionName>(name: Name, request: GroupRequest<Records[Name]>): Promise<QueryPlan> {
    const { index, scans, sorts } = this.#engine.plan(this.#engine.group(this.#engine.table(name), request));
    return { index, scans, sorts };
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#engine.close();
    await this.#checkpoints.close();
  }
}
