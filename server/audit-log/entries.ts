// Entries of the audit log and their outcome. An entry is stored before its change, so no stored change lacks one: pending at first, confirmed after the
// change, dropped if the change was refused. The changed record carries the entry's mark, in the same write; so after a crash the record shows whether the
// change was stored. A later change confirms the entry of the mark that it replaces.
import { randomBytes } from 'node:crypto';
import type { AuditAction, AuditKind } from '#shared/audit-spec.ts';
import { type Collection, DatabaseUnavailable } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';
import type { AuditChange, AuditEntryRecord, AuditedName } from '#server/db/records/audit-entry.ts';
import { type Actor, currentActor } from './actor.ts';
import { auditText, longestName, longestValue } from './audit-text.ts';
import { auditedKinds } from './audited-fields.ts';
import type { AuditedRecord } from './masked-difference.ts';

/** An entry as its author describes it; the rest comes from the actor. */
export interface AuditEntryInput {
  kind: AuditKind;
  action: AuditAction;
  /** Id of the object; if undefined, no single object is concerned. */
  id?: number | string | undefined;
  name?: string | undefined;
  changes?: readonly AuditChange[];
  /** Number of changes that are not in `changes`. */
  more?: number;
  /** Role of the user that the object is or belongs to. */
  rank?: number;
  reason?: string | undefined;
}

/** How to find out after a crash whether the change was stored. */
export type AuditTarget = Pick<AuditEntryRecord, 'stored_in' | 'record_id' | 'removes' | 'ledger_ref'>;

export interface AuditContext {
  db: Database;
  now(): number;
}

const longestUserAgent = 300;

/** First part of the ids of entries of that time or later. */
export function auditIdAt(milliseconds: number): string {
  return Math.max(0, Math.floor(milliseconds)).toString(36).padStart(9, '0');
}

/** Last mark of this process: its milliseconds, and how many there were in them. */
const latest = { at: 0, count: 0 };

/** Unique mark of a group of changes that are stored together, and of their entries; those of one process are in the order of their changes. */
export function newMark(now: number): string {
  latest.count = now === latest.at ? latest.count + 1 : 0;
  latest.at = now;
  return `${auditIdAt(now)}${latest.count.toString(36).padStart(4, '0')}${BigInt(`0x${randomBytes(8).toString('hex')}`)
    .toString(36)
    .padStart(13, '0')}`;
}

/** Id of the entry with this mark about a record. */
export function entryIdOf(mark: string, name: AuditedName, id: number): string {
  return `${mark}-${auditedKinds[name]}-${id}`;
}

/** Returns the entry as it is stored. */
export function auditEntry(
  { id, at, actor = currentActor() }: { id: string; at: number; actor?: Actor },
  { kind, action, id: objectId, name = '', changes = [], more = 0, rank = 0, reason }: AuditEntryInput,
  target: AuditTarget = {},
): AuditEntryRecord {
  const { user } = actor;
  return {
    id,
    at,
    actor: user !== null ? `user:${user.id}` : actor.by === 'job' ? 'system' : 'visitor',
    actor_by: actor.by,
    actor_name: auditText(user?.name ?? actor.job, longestName),
    actor_role: user?.role ?? 0,
    kind,
    action,
    object: objectId === undefined || objectId === '' ? kind : `${kind}:${auditText(String(objectId), longestName)}`,
    name: auditText(name, longestName),
    rank,
    changes: [...changes],
    ...(more === 0 ? {} : { more }),
    ...(reason === undefined || reason === '' ? {} : { reason: auditText(reason, longestValue) }),
    ip: auditText(actor.ip, longestName),
    user_agent: auditText(actor.userAgent, longestUserAgent),
    request_id: auditText(actor.requestId, longestName),
    ...target,
  };
}

/** Records something that has happened, in one line, for whatever is not recorded where it is stored. */
export async function recordAudit(context: AuditContext, input: AuditEntryInput): Promise<void> {
  const at = context.now();
  await entriesOf(context).insert(auditEntry({ id: newMark(at), at }, input));
}

/**
 * Records what `work` does: the entry is stored first, and stays if `work` succeeds. `finish` adds what is known only then; null: nothing was changed.
 */
export async function recordingAudit<Result>(
  context: AuditContext,
  { input, target, finish }: { input: AuditEntryInput; target?: AuditTarget; finish?(result: Result): Partial<AuditEntryRecord> | null },
  work: () => Promise<Result>,
): Promise<Result> {
  const at = context.now();
  const entry = auditEntry({ id: newMark(at), at }, input, target);
  await beginEntries(context, [entry]);
  let result: Result;
  try {
    result = await work();
  } catch (failure) {
    await endFailed(context, [entry], failure);
    throw failure;
  }
  const known = finish === undefined ? {} : finish(result);
  await (known === null ? dropEntries(context, [entry]) : confirmEntries(context, [{ ...entry, ...known }]));
  return result;
}

/** Stores entries whose changes follow. */
export async function beginEntries(context: AuditContext, entries: readonly AuditEntryRecord[]): Promise<void> {
  const pending_at = context.now();
  await context.db.write(entries.map((entry) => ({ insert: { ...entry, pending_at }, into: 'audit_entries' })));
}

/** The changes are stored. An entry that was dropped meanwhile is stored again. */
export async function confirmEntries(context: AuditContext, entries: readonly AuditEntryRecord[]): Promise<void> {
  const [only] = entries;
  if (only === undefined) return;
  const records = entriesOf(context);
  if (entries.length === 1) {
    const { id, pending_at: _pending, ...set } = only;
    await records.patch({ id }, { set, unset: ['pending_at'] }, { insertIfMissing: only });
    return;
  }
  const ids = entries.map(({ id }) => id);
  if ((await records.patchAll({ id: { in: ids } }, { unset: ['pending_at'] })) === entries.length) return;
  await context.db.write(entries.map((insert) => ({ insert, into: 'audit_entries', ignoreConflict: true })));
}

/** The changes were not stored. */
export async function dropEntries(context: AuditContext, entries: readonly AuditEntryRecord[]): Promise<void> {
  if (entries.length === 0) return;
  await entriesOf(context).remove({ id: { in: entries.map(({ id }) => id) }, pending_at: { exists: true } });
}

/** After an error: the change may be stored only if the database has failed; then the entries stay pending until the job resolves them. */
export async function endFailed(context: AuditContext, entries: readonly AuditEntryRecord[], failure: unknown): Promise<void> {
  if (failure instanceof DatabaseUnavailable) return;
  // The error of the change itself is what the caller needs.
  await dropEntries(context, entries).catch(() => {});
}

/** Confirms the entries of marks that are about to be replaced: from then on the records do not show their outcome. */
export async function confirmReplaced(context: AuditContext, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await entriesOf(context).patchAll({ id: { in: ids }, pending_at: { exists: true } }, { unset: ['pending_at'] });
}

/** Looks at the changed records, confirms the entries of stored changes and drops those of the others. Returns the ids of confirmed entries. */
export async function resolveEntries(context: AuditContext, entries: readonly AuditEntryRecord[]): Promise<ReadonlySet<string>> {
  const stored: AuditEntryRecord[] = [];
  const lost: AuditEntryRecord[] = [];
  for (const name of new Set(entries.map((entry) => entry.stored_in))) {
    const some = entries.filter((entry) => entry.stored_in === name);
    const isStored = name === undefined ? await ledgerOutcome(context, some) : await recordOutcome(context, name, some);
    for (const entry of some) {
      const outcome = isStored(entry);
      if (outcome === false) lost.push(entry);
      else stored.push(outcome === true ? entry : { ...entry, unconfirmed: true });
    }
  }
  for (const entry of stored.filter(({ unconfirmed }) => unconfirmed === true)) await confirmEntries(context, [entry]);
  await confirmEntries(
    context,
    stored.filter(({ unconfirmed }) => unconfirmed !== true),
  );
  await dropEntries(context, lost);
  return new Set(stored.map(({ id }) => id));
}

/** True or false if it is known whether the change was stored. */
type Outcome = (entry: AuditEntryRecord) => boolean | undefined;

async function recordOutcome({ db }: AuditContext, name: AuditedName, entries: readonly AuditEntryRecord[]): Promise<Outcome> {
  const records: Collection<AuditedRecord> = db.collection(name);
  const ids = entries.flatMap(({ record_id: id }) => id ?? []);
  const found = new Map((await records.find({ id: { in: ids } })).map((record) => [record.id, record]));
  return ({ id, record_id: recordId = 0, removes }) => {
    const record = found.get(recordId);
    if (removes === true) return record === undefined;
    return record?.audited !== undefined && entryIdOf(record.audited, name, recordId) === id;
  };
}

async function ledgerOutcome({ db }: AuditContext, entries: readonly AuditEntryRecord[]): Promise<Outcome> {
  const refs = entries.flatMap(({ ledger_ref: ref }) => ref ?? []);
  const found = refs.length === 0 ? [] : await db.collection('ledger').find({ ref: { in: refs } });
  const done = new Set(found.filter(({ state }) => state === 'done').map(({ ref }) => ref));
  return ({ ledger_ref: ref }) => (ref === undefined ? undefined : done.has(ref));
}

/** Longer than a change takes, whatever the database does meanwhile. */
const pendingMs = 600_000;
const resolvedAtOnce = 500;

/** A job: resolves entries whose process has stopped during the change. */
export async function finishAuditEntries(context: AuditContext): Promise<void> {
  const due = await entriesOf(context).find(
    { pending_at: { lt: context.now() - pendingMs } },
    { sort: [['pending_at', 1]], limit: resolvedAtOnce },
  );
  if (due.length > 0) await resolveEntries(context, due);
}

function entriesOf({ db }: AuditContext): Collection<AuditEntryRecord> {
  return db.collection('audit_entries');
}
