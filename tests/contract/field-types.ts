// What the compiler refuses in filters, patches, sorts, sums and batches. The types step of `npm run check` is the test: a marked
// line that compiles is an error, and so is a line without a mark that does not. Nothing of it runs.
import { onField, type Collection, type Filter, type Patch } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';
import type { FieldPath } from '#server/db/fields.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { ProcessRecord } from '#server/db/records/process.ts';
import type { UserRecord } from '#server/db/records/user.ts';

export async function filters(users: Collection<UserRecord>, processes: Collection<ProcessRecord>): Promise<void> {
  await users.find({ username: 'a', quota: { gte: 5 }, DeletedAt: null, 'leases.p1': { exists: false }, inviter_id: undefined });
  await processes.find({ state: { in: ['alive', 'settled'] }, 'settler.pid': 5, missing_seqs: 7 });
  // @ts-expect-error a misspelt field
  await users.find({ user_name: 'a' });
  // @ts-expect-error a misspelt field in a part of a filter
  await users.find({ or: [{ username: 'a' }, { mail: 'a' }] });
  // @ts-expect-error a field of another collection
  await users.first({ remain_quota: 1 });
  // @ts-expect-error a number is not compared with a text
  await users.count({ quota: 'a' });
  // @ts-expect-error nor does it lie above one
  await users.count({ quota: { gt: 'a' } });
  // @ts-expect-error nor begin with one
  await users.count({ quota: { startsWith: '1' } });
  // @ts-expect-error a field that is never null
  await users.remove({ username: null });
  // @ts-expect-error an operator that does not exist
  await users.take({ username: { like: 'a' } });
  // @ts-expect-error a word that the field cannot hold
  await processes.find({ state: 'dead' });
  // @ts-expect-error a map is compared by its entries
  await users.find({ leases: { p1: 5 } });
  // @ts-expect-error an entry holds a number
  await users.find({ 'leases.p1': 'a' });
  // @ts-expect-error nothing stands below a text
  await users.find({ 'username.first': 'a' });
  // @ts-expect-error a list has no fields
  await processes.find({ 'missing_seqs.0': 1 });
  // @ts-expect-error a misspelt field of an object in the record
  await processes.find({ 'settler.id': 1 });
  // @ts-expect-error an id has the type of the record's
  await users.get('1');
}

export async function patches(users: Collection<UserRecord>, processes: Collection<ProcessRecord>): Promise<void> {
  await users.patch({ id: 1 }, { set: { username: 'b', 'leases.p1': 5 }, unset: ['aff_code', 'marks.e1'], increment: { quota: -1 } });
  await processes.patch({ id: 'p' }, { set: { settler: { host: 'a', pid: 1 } }, max: { settled_seq: 5, closed_seq: 1 } });
  // @ts-expect-error a misspelt field
  await users.patch({ id: 1 }, { set: { user_name: 'b' } });
  // @ts-expect-error a value of another type
  await users.patch({ id: 1 }, { set: { username: 5 } });
  // @ts-expect-error an object that lacks a field
  await processes.patch({ id: 'p' }, { set: { settler: { host: 'a' } } });
  // @ts-expect-error an id stays
  await users.patch({ id: 1 }, { set: { id: 2 } });
  // @ts-expect-error a text is not added to
  await users.patchAll({}, { increment: { username: 1 } });
  // @ts-expect-error an id is not added to
  await users.patchAll({}, { increment: { id: 1 } });
  // @ts-expect-error a text is not raised
  await users.patchAll({}, { max: { username: 1 } });
  // @ts-expect-error a field that every record has
  await users.patchAll({}, { unset: ['username'] });
  // @ts-expect-error a misspelt field
  await users.patchAll({}, { unset: ['affcode'] });
}

export async function orders(logs: Collection<LogRecord>): Promise<void> {
  await logs.find({}, { sort: [['created_at', -1]] });
  await logs.group({ by: ['user_id', 'other.ending'], sum: { quota: 'quota', first: 'other.frt' } });
  // @ts-expect-error a misspelt field
  await logs.find({}, { sort: [['createdAt', -1]] });
  // @ts-expect-error a misspelt field
  await logs.group({ by: ['user'] });
  await logs.group({ by: [], scales: { place: { path: 'other.frt', least: 10, ratio: 2, last: 9 } } });
  // @ts-expect-error a text has no place on a scale
  await logs.group({ by: [], scales: { place: { path: 'model_name', least: 10, ratio: 2, last: 9 } } });
  // @ts-expect-error a text is not summed
  await logs.group({ by: [], sum: { models: 'model_name' } });
}

export async function batches(db: Database, user: UserRecord): Promise<void> {
  await db.write([
    { insert: user, into: 'users' },
    { patch: { increment: { remain_quota: 1 } }, of: 'tokens', where: { id: 1 } },
  ]);
  // @ts-expect-error a record of another collection
  await db.write([{ insert: user, into: 'tokens' }]);
  // @ts-expect-error no such collection
  await db.write([{ insert: user, into: 'people' }]);
  // @ts-expect-error a field of another collection
  await db.write([{ patch: { increment: { quota: 1 } }, of: 'tokens', where: { id: 1 } }]);
}

/** Fields chosen at run time. */
export function chosen(process: string, field: 'user_id' | 'token_id'): unknown[] {
  const path: FieldPath<UserRecord> = `leases.${process}`;
  // @ts-expect-error a misspelt field
  const misspelt: FieldPath<UserRecord> = `lease.${process}`;
  const filter: Filter<LogRecord> = onField<LogRecord, typeof field>(field, 1);
  // @ts-expect-error a value of another type
  onField<LogRecord, typeof field>(field, 'a');
  // @ts-expect-error entries hold numbers
  const patch: Patch<UserRecord> = { set: { [path]: 'a' } };
  return [path, misspelt, filter, patch];
}
