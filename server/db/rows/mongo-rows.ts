// Rows of the MongoDB engine.
import { MongoClient, type ClientSession, type Db, type Document } from 'mongodb';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import { collections } from '#server/db/collections.ts';
import { DatabaseUrlError } from '#server/db/database-url.ts';
import type { CollectionName } from '#server/db/database.ts';
import { asConflict } from '#server/db/mongo-availability.ts';
import { toRecord, toRow, type Row as Stored } from '#server/db/mongo-query.ts';
import { copyClientOptions, describeIndex } from '#server/db/mongo.ts';
import { readCopyState, removeCopyState, saveCopyState } from '#server/db/rows/mongo-copy-state.ts';
import { pageBytes, pageRows, type CopyState, type Row, type RowId, type RowSource, type RowTarget } from '#server/db/rows/rows.ts';

/**
 * Raised when the server no longer has the state of the snapshot's moment: by default it stores five minutes
 * (`minSnapshotHistoryWindowInSeconds`).
 */
export class SnapshotTooOld extends Error {
  override readonly name = 'SnapshotTooOld';
}

/** SnapshotTooOld, SnapshotUnavailable. */
const oldSnapshotCodes = new Set<unknown>([239, 246]);

export interface MongoSourceOptions {
  /** If set, reads see one moment if the deployment offers snapshots: replica sets of MongoDB 5 or newer. */
  wantsSnapshot: boolean;
}

async function connect(url: string): Promise<MongoClient> {
  let client: MongoClient;
  try {
    client = new MongoClient(url, copyClientOptions);
  } catch (cause) {
    throw new DatabaseUrlError(cause instanceof Error ? cause.message : 'not a MongoDB address', { cause });
  }
  try {
    await client.db('admin').command({ ping: 1 });
    return client;
  } catch (cause) {
    await client.close();
    throw new DatabaseUnavailable(`MongoDB cannot be reached: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

export async function openMongoSource(url: string, name: string, { wantsSnapshot }: MongoSourceOptions): Promise<RowSource> {
  const client = await connect(url);
  const db = client.db(name);
  const session = wantsSnapshot ? await snapshotOf(client, db) : undefined;
  return new MongoSource(client, db, session === undefined ? {} : { session });
}

/** Returns a session whose reads see one moment; undefined if the deployment has none. */
async function snapshotOf(client: MongoClient, db: Db): Promise<ClientSession | undefined> {
  let session: ClientSession | undefined;
  try {
    session = client.startSession({ snapshot: true });
    // The first read fixes the moment.
    await db.collection('facts').findOne({}, { session });
    return session;
  } catch (error) {
    await session?.endSession();
    const [isCompatible, code] = [!(error instanceof Error && error.name === 'MongoCompatibilityError'), codeOf(error)];
    // 20, 72, 123: a standalone server, or an older version.
    if (isCompatible && code !== 20 && code !== 72 && code !== 123 && !oldSnapshotCodes.has(code)) throw error;
    return undefined;
  }
}

class MongoSource implements RowSource {
  readonly kind = 'mongodb';
  readonly isSnapshot: boolean;
  readonly #client: MongoClient;
  readonly #db: Db;
  readonly #session: ClientSession | undefined;
  readonly #prefix: string;

  constructor(client: MongoClient, db: Db, { session, prefix = '' }: { session?: ClientSession; prefix?: string }) {
    this.#client = client;
    this.#db = db;
    this.#session = session;
    this.#prefix = prefix;
    this.isSnapshot = session !== undefined;
  }

  async counters(): Promise<Map<string, number>> {
    const counters = this.#db.collection<{ _id: string; value: number }>(`${this.#prefix}counters`);
    const rows = await this.#read(() => counters.find({}, this.#options).toArray());
    return new Map(rows.map((row) => [row._id, row.value]));
  }

  async count(name: CollectionName): Promise<number> {
    return this.#read(() => this.#db.collection(this.#prefix + name).countDocuments({}, this.#options));
  }

  async *pages(name: CollectionName, after?: RowId): AsyncGenerator<Row[]> {
    const native = this.#db.collection<Stored>(this.#prefix + name);
    for (let last = after; ;) {
      // One query per page: a cursor would not survive a slow target.
      const page = await this.#read(async () => {
        const query = last === undefined ? {} : { _id: { $gt: last } };
        const cursor = native.find(query, { ...this.#options, sort: { _id: 1 }, limit: pageRows });
        const rows: Row[] = [];
        let bytes = 0;
        try {
          for await (const row of cursor) {
            const doc = JSON.stringify(toRecord(row));
            rows.push({ id: row._id, doc });
            bytes += doc.length;
            if (bytes >= pageBytes) break;
          }
        } finally {
          await cursor.close();
        }
        return rows;
      });
      if (page.length === 0) return;
      yield page;
      last = page.at(-1)?.id;
    }
  }

  async close(): Promise<void> {
    await this.#session?.endSession();
    await this.#client.close();
  }

  get #options(): { session?: ClientSession } {
    return this.#session === undefined ? {} : { session: this.#session };
  }

  async #read<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (oldSnapshotCodes.has(codeOf(error))) throw new SnapshotTooOld('The snapshot is too old', { cause: error });
      throw error;
    }
  }
}

/**
 * Opens a database for writing rows.
 * @param prefix of the names of collections: rows of a restore are stored apart until it ends
 */
export async function openMongoTarget(url: string, name: string, prefix = ''): Promise<MongoTarget> {
  const client = await connect(url);
  return new MongoTarget(client, client.db(name), prefix);
}

/** Tries of a write whose connection broke. */
const attempts = 5;

export class MongoTarget implements RowTarget {
  readonly kind = 'mongodb';
  readonly #client: MongoClient;
  readonly #db: Db;
  readonly #prefix: string;

  constructor(client: MongoClient, db: Db, prefix: string) {
    this.#client = client;
    this.#db = db;
    this.#prefix = prefix;
  }

  state(): Promise<CopyState | null> {
    return readCopyState(this.#db, this.#prefix);
  }

  async occupied(): Promise<{ name: string; count: number } | null> {
    for (const { name } of await this.#db.listCollections({}, { nameOnly: true }).toArray()) {
      if (name.startsWith('system.') || name === 'copy_state' || name === 'counters') continue;
      if ((await this.#db.collection(name).findOne({}, { projection: { _id: 1 } })) === null) continue;
      return { name, count: await this.#db.collection(name).estimatedDocumentCount() };
    }
    return null;
  }

  async clear(): Promise<void> {
    const present = new Set((await this.#db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name));
    for (const name of [...Object.keys(collections), 'counters', 'copy_state']) {
      if (present.has(this.#prefix + name)) await this.#db.dropCollection(this.#prefix + name);
    }
  }

  async saveState(state: CopyState): Promise<void> {
    await saveCopyState(this.#db, state, this.#prefix);
  }

  async removeAfter(name: CollectionName, after: RowId | undefined): Promise<void> {
    await this.#native(name).deleteMany(after === undefined ? {} : { _id: { $gt: after } });
  }

  async write(name: CollectionName, rows: readonly Row[], state: CopyState): Promise<void> {
    const documents = rows.map((row) => toRow(JSON.parse(row.doc)));
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#native(name).insertMany(documents, { ordered: true });
        break;
      } catch (error) {
        // The outcome is unknown: the page is written again from its beginning.
        if (attempt === attempts || !isNetworkError(error)) throw asConflict(name, error) ?? error;
        await this.#native(name).deleteMany({ _id: { $in: rows.map(({ id }) => id) } });
      }
    }
    await saveCopyState(this.#db, state, this.#prefix);
  }

  async finish(counters: ReadonlyMap<string, number>, onIndex: (built: number, all: number) => void): Promise<void> {
    const stored = this.#db.collection<{ _id: string; value: number }>(`${this.#prefix}counters`);
    for (const [name, value] of counters) await stored.updateOne({ _id: name }, { $set: { value } }, { upsert: true });
    const all = Object.values(collections).reduce((sum, { indexes }) => sum + indexes.length, 0);
    let built = 0;
    const present = new Set((await this.#db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name));
    for (const name of [...Object.keys(collections), 'counters'])
      if (!present.has(this.#prefix + name)) await this.#db.createCollection(this.#prefix + name);
    for (const [name, { indexes }] of Object.entries(collections)) {
      onIndex(built, all);
      // One command, so that the server reads the collection once.
      if (indexes.length > 0) await this.#native(name).createIndexes(indexes.map(describeIndex));
      built += indexes.length;
    }
    onIndex(all, all);
  }

  reader(): Pick<RowSource, 'pages' | 'counters'> {
    return new MongoSource(this.#client, this.#db, { prefix: this.#prefix });
  }

  async release(): Promise<void> {
    await removeCopyState(this.#db, this.#prefix);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  #native(name: string) {
    return this.#db.collection<Document & { _id: RowId }>(this.#prefix + name);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function isNetworkError(error: unknown): boolean {
  return error instanceof Error && (error.name.startsWith('MongoNetwork') || error.name.startsWith('MongoPool'));
}
