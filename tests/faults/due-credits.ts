// What becomes balance after it was claimed (codes, paid orders), disturbed at every write: credited once or not at all.
import { expect } from 'vitest';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { balanceOf } from '#server/money/account.ts';
import { audit } from '#server/money/audit.ts';
import { open, type Place } from '#tests/faults/bookkeeping.ts';
import { buildUser } from '#tests/support/build.ts';
import { type FreezableDatabase, makeFreezable } from '#tests/support/freezable-database.ts';

export interface DueCase {
  name: string;
  /** Something that is worth `creditWorth`; what it gives is handed to the others. */
  arrange(context: AppContext, user: UserRecord): Promise<string>;
  /** The act that credits. @throws when it does not */
  act(context: AppContext, user: UserRecord, subject: string): Promise<unknown>;
  /** The job that finishes what was left. */
  finish(context: AppContext): Promise<unknown>;
  /** Still due: the job is not done with it. */
  countDue(context: AppContext): Promise<number>;
}

export const creditWorth = 1234;

export interface DueScene extends Place {
  db: FreezableDatabase;
  context: Awaited<ReturnType<typeof open>>;
  user: UserRecord;
  subject: string;
}

export async function arrangeDue(place: Place, due: DueCase): Promise<DueScene> {
  const db = makeFreezable(await place.database.open());
  const context = await open(db);
  const user = await buildUser(place.other);
  await place.other.db.collection('users').insert(user);
  const subject = await due.arrange(place.other, user);
  return { ...place, db, context, user, subject };
}

/** How many writes the act takes when nothing stops it. */
export async function countActWrites(place: Place, due: DueCase): Promise<number> {
  const scene = await arrangeDue(place, due);
  const before = scene.db.writes;
  await due.act(scene.context, scene.user, scene.subject);
  const count = scene.db.writes - before;
  await expectCredited(scene, due, 1, 'undisturbed');
  await scene.context.close();
  expect(count).toBeGreaterThan(4);
  return count;
}

/** The same server some time later. */
export function later(context: AppContext): AppContext {
  return { ...context, now: () => context.now() + 60_000 };
}

/** Expects that many credits, balanced books, one row of the log for each, and nothing due any more. */
export async function expectCredited({ other, user }: DueScene, due: DueCase, times: 0 | 1, where: string): Promise<void> {
  const record = await other.db.collection('users').get(user.id);
  expect(record === null ? null : balanceOf(record), `${where}: the balance`).toBe(times * creditWorth);
  expect(await other.db.collection('logs').count({ user_id: user.id, type: 1 }), `${where}: rows in the log`).toBe(times);
  expect((await audit(other.db)).findings, where).toEqual([]);
  expect(await due.countDue(other), `${where}: due`).toBe(0);
}
