// The database as handlers, jobs and commands get it: whatever changes a user, a token, a channel or a code, by whatever call, leaves an entry in the
// audit log with what changed. The ledger, which moves money only, has the database itself.
import type { Records } from '#server/db/all-records.ts';
import type { Collection, Filter, Patch } from '#server/db/collection.ts';
import type { CollectionName, Database, UnorderedWrite, Write } from '#server/db/database.ts';
import type { AuditEntryRecord, AuditedName } from '#server/db/records/audit-entry.ts';
import { Role } from '#shared/roles.ts';
import { currentActor } from './actor.ts';
import { auditedKinds, auditedNames, isAudited } from './audited-fields.ts';
import { actionOf, type AuditedRecord, differenceOf, touchesAudited } from './masked-difference.ts';
import { checkRecordIsFree } from './managed-records.ts';
import {
  auditEntry,
  beginEntries,
  confirmEntries,
  confirmReplaced,
  dropEntries,
  endFailed,
  entryIdOf,
  newMark,
  resolveEntries,
} from './entries.ts';

type AnyPatch = Patch<AuditedRecord>;
type AnyFilter = Filter<AuditedRecord>;

/** Records changed in one step by `patchAll` and `remove`. */
const atOnce = 100;
/** Attempts to change a record that others change at the same time. */
const tries = 20;

export function createRecordingDatabase(raw: Database, now: () => number): Database {
  const context = { db: raw, now };
  const recorder = new Recorder(context);
  const recorded = new Map<CollectionName, unknown>(auditedNames.map((name) => [name, recorder.collection(name)]));
  function collection<Name extends CollectionName>(name: Name): Collection<Records[Name]>;
  function collection(name: CollectionName): unknown {
    return recorded.get(name) ?? raw.collection(name);
  }
  return {
    kind: raw.kind,
    collection,
    write: (batch) => (batch.some(isConcerned) ? recorder.write(batch) : raw.write(batch)),
    writeUnordered: (batch) => (batch.some(isConcerned) ? recorder.writeUnordered(batch) : raw.writeUnordered(batch)),
    nextId: (name) => raw.nextId(name),
    nextIds: (name, count) => raw.nextIds(name, count),
    explain: (name, filter, options) => raw.explain(name, filter, options),
    explainGroup: (name, request) => raw.explainGroup(name, request),
    ping: () => raw.ping(),
    close: () => raw.close(),
  };
}

/** A write without its collection's type; the engines check the rest. */
interface AnyWrite {
  insert?: AuditedRecord;
  into?: string;
  of?: string;
  from?: string;
  where?: AnyFilter;
  patch?: AnyPatch;
  remove?: AnyFilter;
}

function anyWrite(write: Write | UnorderedWrite): AnyWrite;
function anyWrite(write: object): object {
  return write;
}

function isConcerned(write: Write | UnorderedWrite): boolean {
  return concernedName(write) !== undefined;
}

/** Collection of a write that is recorded. */
function concernedName(write: Write | UnorderedWrite): AuditedName | undefined {
  const { into, of, from, patch } = anyWrite(write);
  const name = into ?? of ?? from ?? '';
  if (!isAudited(name)) return undefined;
  return patch === undefined || isEdit(name, patch) ? name : undefined;
}

function isEdit(name: AuditedName, { set = {}, unset = [] }: AnyPatch): boolean {
  return touchesAudited(name, Object.keys(set)) || touchesAudited(name, unset);
}

interface Planned {
  name: AuditedName;
  before: AuditedRecord | null;
  /** Null: the record is removed. */
  after: AuditedRecord | null;
}

class Recorder {
  readonly #context: { db: Database; now(): number };

  constructor(context: { db: Database; now(): number }) {
    this.#context = context;
  }

  collection(name: AuditedName): Collection<AuditedRecord> {
    const { db } = this.#context;
    const records: Collection<AuditedRecord> = db.collection(name);
    const patch = this.#patcher(name, records);
    return {
      name,
      get: (id) => records.get(id),
      find: (filter, options) => records.find(filter, options),
      first: (filter, options) => records.first(filter, options),
      count: (filter, limit) => records.count(filter, limit),
      each: (filter) => records.each(filter),
      group: (request) => records.group(request),
      insert: async (record) => {
        const mark = this.#newMark();
        await this.#recording(this.#entries(mark, [{ name, before: null, after: record }]), () =>
          records.insert({ ...record, audited: mark }).then(() => true),
        );
      },
      patch,
      patchAll: async (filter, change) => {
        if (!isEdit(name, change)) return records.patchAll(filter, change);
        let count = 0;
        for (let last = 0; ;) {
          const found = await records.find({ and: [filter, { id: { gt: last } }] }, { sort: [['id', 1]], limit: atOnce });
          for (const { id } of found) if ((await patch({ and: [filter, { id }] }, change)) !== null) count += 1;
          const end = found.at(-1);
          if (end === undefined || found.length < atOnce) return count;
          last = end.id;
        }
      },
      take: async (filter, options) => {
        const found = await records.first(filter, options);
        if (found === null) return null;
        const entries = this.#entries(this.#newMark(), [{ name, before: found, after: null }]);
        await confirmReplaced(this.#context, replacedEntries(name, found));
        return this.#recording(entries, () => records.take({ and: [filter, { id: found.id }] }));
      },
      remove: async (filter) => {
        let count = 0;
        for (;;) {
          const found = await records.find(filter, { limit: atOnce });
          if (found.length === 0) return count;
          const entries = this.#entries(
            this.#newMark(),
            found.map((before) => ({ name, before, after: null })),
          );
          await confirmReplaced(
            this.#context,
            found.flatMap((record) => replacedEntries(name, record)),
          );
          await beginEntries(this.#context, entries);
          const removed = await records.remove({ and: [filter, { id: { in: found.map(({ id }) => id) } }] });
          await (removed === found.length ? confirmEntries(this.#context, entries) : resolveEntries(this.#context, entries));
          // Those that no longer match stay.
          if (removed === 0) return count;
          count += removed;
        }
      },
    };
  }

  async write(batch: readonly Write[]): Promise<boolean[]> {
    const { marked, entries, replaced } = await this.#planBatch(batch);
    if (entries.size === 0) return this.#context.db.write(batch);
    const all = [...entries.values()];
    await confirmReplaced(this.#context, replaced);
    await beginEntries(this.#context, all);
    let results: boolean[];
    try {
      results = await this.#context.db.write(marked);
    } catch (failure) {
      // On MongoDB a part of the batch may be stored.
      await resolveEntries(this.#context, all).catch(() => {});
      throw failure;
    }
    const isStored = (index: number) => results[index] === true;
    await confirmEntries(this.#context, pick(entries, isStored));
    await dropEntries(
      this.#context,
      pick(entries, (index) => !isStored(index)),
    );
    return results;
  }

  async writeUnordered(batch: readonly UnorderedWrite[]): Promise<number> {
    const { marked, entries, replaced } = await this.#planBatch(batch);
    if (entries.size === 0) return this.#context.db.writeUnordered(batch);
    const all = [...entries.values()];
    await confirmReplaced(this.#context, replaced);
    await beginEntries(this.#context, all);
    let count: number;
    try {
      count = await this.#context.db.writeUnordered(marked);
    } catch (failure) {
      await resolveEntries(this.#context, all).catch(() => {});
      throw failure;
    }
    await (count === batch.length ? confirmEntries(this.#context, all) : resolveEntries(this.#context, all));
    return count;
  }

  /** Changes the record as it was read, so that the entry says what was replaced; reads it again if others have changed it. */
  #patcher(name: AuditedName, records: Collection<AuditedRecord>): Collection<AuditedRecord>['patch'] {
    return async (filter, change, options) => {
      if (!isEdit(name, change)) return records.patch(filter, change, options);
      for (let attempt = 1; ; attempt += 1) {
        const before = await records.first(filter);
        if (before === null) return records.patch(filter, change, options);
        const mark = this.#newMark();
        const entries = this.#entries(mark, [{ name, before, after: patched(before, change) }]);
        if (entries.length === 0) return records.patch(filter, change, options);
        // At last the edit counts, whatever it replaces.
        const unchanged: AnyFilter = attempt === tries ? { id: before.id } : { id: before.id, revision: before.revision };
        await confirmReplaced(this.#context, replacedEntries(name, before));
        const after = await this.#recording(entries, () => records.patch({ and: [filter, unchanged] }, withMark(change, mark)));
        if (after !== null || attempt === tries) return after;
      }
    };
  }

  /** Stores the entries, does the work, and confirms them; drops them if the work had no effect. */
  async #recording<Result>(entries: readonly AuditEntryRecord[], work: () => Promise<Result>): Promise<Result> {
    await beginEntries(this.#context, entries);
    let result: Result;
    try {
      result = await work();
    } catch (failure) {
      await endFailed(this.#context, entries, failure);
      throw failure;
    }
    await (result === null ? dropEntries(this.#context, entries) : confirmEntries(this.#context, entries));
    return result;
  }

  #newMark(): string {
    return newMark(this.#context.now());
  }

  /** Entries of what differs; none for a change that changes nothing. @throws {AppError} `managed_by_file` */
  #entries(mark: string, planned: readonly Planned[]): AuditEntryRecord[] {
    return planned.flatMap((one) => this.#entry(mark, one) ?? []);
  }

  #entry(mark: string, { name, before, after }: Planned): AuditEntryRecord | undefined {
    const record = after ?? before;
    if (record === null) return undefined;
    checkRecordIsFree(name, before, after);
    const { changes, more } = after === null ? { changes: [], more: 0 } : differenceOf(name, before, after);
    if (before !== null && after !== null && changes.length === 0) return undefined;
    const actor = currentActor();
    const { spec } = actor;
    const kind = auditedKinds[name];
    const usual = before === null ? 'created' : after === null ? 'deleted' : 'changed';
    const shown = usual === 'changed' ? actionOf(name, changes) : undefined;
    const intended = spec !== undefined && 'kind' in spec && spec.kind === kind ? spec.action : undefined;
    // A new record cannot have been changed; any other intention fits.
    const fits = usual === 'changed' || intended === 'restored' || intended === 'created' || intended === 'deleted';
    return auditEntry(
      { id: entryIdOf(mark, name, record.id), at: this.#context.now(), actor },
      {
        kind,
        id: record.id,
        name: nameOf(record),
        action: shown ?? (fits ? intended : undefined) ?? usual,
        changes,
        more,
        rank: Math.max(actor.rank ?? Role.guest, rankOf(name, before, after, actor.user)),
      },
      { stored_in: name, record_id: record.id, ...(after === null ? { removes: true } : {}) },
    );
  }

  /** Reads the records that a batch changes. */
  async #planBatch<Any extends Write | UnorderedWrite>(
    batch: readonly Any[],
  ): Promise<{ marked: Any[]; entries: Map<number, AuditEntryRecord>; replaced: string[] }> {
    const mark = this.#newMark();
    const found = await this.#readBefore(batch);
    const entries = new Map<number, AuditEntryRecord>();
    const replaced: string[] = [];
    const marked = batch.map((write, index) => {
      const name = concernedName(write);
      if (name === undefined) return write;
      const { insert, patch: change } = anyWrite(write);
      const before = insert === undefined ? (found.get(index) ?? null) : null;
      const after = insert ?? (before === null || change === undefined ? null : patched(before, change));
      const entry = this.#entry(mark, { name, before, after });
      if (entry === undefined) return write;
      entries.set(index, entry);
      if (before !== null) replaced.push(...replacedEntries(name, before));
      return insert !== undefined
        ? replacing(write, { insert: { ...insert, audited: mark } })
        : change !== undefined
          ? replacing(write, { patch: withMark(change, mark) })
          : write;
    });
    return { marked, entries, replaced };
  }

  /** Records by the index of their write. Filters with an id are read together. */
  async #readBefore(batch: readonly (Write | UnorderedWrite)[]): Promise<Map<number, AuditedRecord>> {
    const found = new Map<number, AuditedRecord>();
    const byName = new Map<AuditedName, Map<number, number[]>>();
    for (const [index, write] of batch.entries()) {
      const name = concernedName(write);
      const { where, remove, insert } = anyWrite(write);
      const filter = where ?? remove;
      if (name === undefined || insert !== undefined || filter === undefined) continue;
      const id = idIn(filter);
      if (id === undefined) {
        const records: Collection<AuditedRecord> = this.#context.db.collection(name);
        const record = await records.first(filter);
        if (record !== null) found.set(index, record);
        continue;
      }
      const ids = byName.get(name) ?? new Map<number, number[]>();
      ids.set(id, [...(ids.get(id) ?? []), index]);
      byName.set(name, ids);
    }
    for (const [name, ids] of byName) {
      const records: Collection<AuditedRecord> = this.#context.db.collection(name);
      for (const record of await records.find({ id: { in: [...ids.keys()] } })) {
        for (const index of ids.get(record.id) ?? []) found.set(index, record);
      }
    }
    return found;
  }
}

/** The id that a filter demands, also within `and`. */
function idIn({ id, and = [] }: AnyFilter): number | undefined {
  if (typeof id === 'number') return id;
  for (const part of and) {
    const inner = idIn(part);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function pick(entries: ReadonlyMap<number, AuditEntryRecord>, test: (index: number) => boolean): AuditEntryRecord[] {
  return [...entries].filter(([index]) => test(index)).map(([, entry]) => entry);
}

/** The same write with other contents. */
function replacing<Any>(write: Any, change: Pick<AnyWrite, 'insert' | 'patch'>): Any {
  return { ...write, ...change };
}

function withMark(change: AnyPatch, mark: string): AnyPatch {
  return { ...change, set: { ...change.set, audited: mark } };
}

/** The record after the patch, as far as it is recorded. */
function patched(before: AuditedRecord, { set = {}, unset = [] }: AnyPatch): AuditedRecord {
  const after: AuditedRecord = { ...before, ...set };
  for (const field of unset) Reflect.deleteProperty(after, field);
  return after;
}

function replacedEntries(name: AuditedName, { id, audited }: AuditedRecord): string[] {
  return audited === undefined ? [] : [entryIdOf(audited, name, id)];
}

function nameOf(record: object): string {
  const name: unknown = 'username' in record ? record.username : 'name' in record ? record.name : '';
  return typeof name === 'string' ? name : '';
}

/** The highest role that a user has before or after; for a token, that of its owner, if the owner acts. */
function rankOf(name: AuditedName, before: object | null, after: object | null, actor: { id: number; role: number } | null): number {
  if (name === 'users') return Math.max(...[before, after].map((user) => (user !== null && 'role' in user ? Number(user.role) : 0)));
  if (name !== 'tokens') return Role.guest;
  const token = after ?? before;
  return actor !== null && token !== null && 'user_id' in token && token.user_id === actor.id ? actor.role : Role.guest;
}
