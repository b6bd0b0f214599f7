// Calls of an organisation's keys, from their admission to their end, and what binds them.
import { readStanding } from '#server/accounts/memberships.ts';
import { admissionOf, type KeyAdmission } from '#server/call/admission/admission.ts';
import type { RunningContext } from '#server/create-context.ts';
import type { Database } from '#server/db/database.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { Reservation } from '#server/money/leases/reservation.ts';
import type { BoundLimit } from '#server/rate-limits/bound-limits.ts';
import type { RatePermit } from '#server/rate-limits/permit.ts';
import { buildLog } from '#tests/support/build-log.ts';

/** A server process. */
export interface Process {
  context: RunningContext;
  db: Database;
  /** Begins the names of what the process has locked. */
  mark: string;
  isDead: boolean;
}

export interface HeldCall {
  process: Process;
  reservation: Reservation;
  permit: RatePermit | null;
  limits: readonly BoundLimit[];
  tokenId: number;
  name: string;
  hasLeft: boolean;
}

/** How often each act succeeded, by its name. */
export type SeenActs = Record<string, number>;

export interface OrganisationSubject {
  id: number;
  /** The founder, and three who come and go. */
  people: readonly UserRecord[];
  /** Stored hashes of keys; the last key has a budget that no one changes. */
  keys: readonly string[];
  /** Administrator of the site. */
  root: UserRecord;
  calls: HeldCall[];
  /** Calls that passed a limit of requests, by counter and window; and calls that run, by counter. */
  passed: Map<string, number>;
  running: Map<string, number>;
  /** What was wrong while it ran. */
  problems: string[];
  random: () => number;
  seen: SeenActs;
}

export const model = 'gpt-4o-mini';
/** Quota of the largest and of a usual call. */
export const largest = 1_000;
export const usual = 40;
/** Budget of the last key, in each month. */
export const steadyAmount = 600;
export const steadyId = 'steady';
const day = 86_400_000;

/** As a key is admitted. Null: it is refused. */
export async function admit({ keys, random }: OrganisationSubject, { db }: RunningContext): Promise<KeyAdmission | null> {
  const hash = pick(random() < 0.25 ? keys.slice(-1) : keys, random);
  const token = await db.collection('tokens').first({ key_hash: hash, DeletedAt: null, status: 1 });
  const user = token === null ? null : await db.collection('users').get(token.user_id);
  if (token === null || user === null || user.DeletedAt !== null) return null;
  const standing = await readStanding(db, token);
  return standing === null ? null : admissionOf(token, user, -1, standing);
}

export async function begin(subject: OrganisationSubject, context: RunningContext, process: Process): Promise<boolean> {
  const admission = await admit(subject, context);
  if (admission === null) return false;
  const { random } = subject;
  const { token, user } = admission;
  const amount = random() < 0.3 ? largest : 1 + Math.floor(random() * usual);
  const result = await context.ledger.reserve({
    userId: user.id,
    token: { id: token.id, isLimited: !token.unlimited_quota },
    budgets: await context.budgets.of(admission, model),
    amount,
    least: Math.min(amount, usual),
  });
  if (!('reservation' in result)) return count(subject, 'refusedByMoney');
  const { reservation } = result;
  const limits = context.rateLimits.of(admission, model);
  let permit: RatePermit | null = null;
  try {
    permit = limits === null ? null : await context.rateLimits.enter(limits, { requests: 1, tokens: 5, input: 1, isParallel: true });
  } catch {
    context.ledger.release(reservation);
    return count(subject, 'refusedByLimit');
  }
  const name = `${admission.token.key_hash === subject.keys.at(-1) ? steadyId : 'call'} ${user.id} ${random()}`;
  const call = { process, reservation, permit, limits: limits?.counted ?? [], tokenId: token.id, name, hasLeft: process.isDead };
  // What a dead process finds in its memory is not served.
  if (!process.isDead) entered(subject, call);
  subject.calls.push(call);
  return true;
}

function count({ seen }: OrganisationSubject, name: string): false {
  seen[name] = (seen[name] ?? 0) + 1;
  return false;
}

function entered({ passed, running, problems }: OrganisationSubject, { limits, process: { context } }: HeldCall): void {
  for (const { key, limit } of limits) {
    const isWindow = 'per' in limit;
    const [counts, id] = isWindow ? [passed, `${key} ${Math.floor(context.now() / day)}`] : [running, key];
    const now = (counts.get(id) ?? 0) + 1;
    counts.set(id, now);
    if (now > limit.amount) problems.push(`${now} calls ${isWindow ? 'passed' : 'run'} by a limit of ${limit.amount}`);
  }
}

/** Of a call that has ended, or whose process has died. */
export function left({ running }: OrganisationSubject, call: HeldCall): void {
  if (call.hasLeft) return;
  call.hasLeft = true;
  for (const { key, limit } of call.limits) if (!('per' in limit)) running.set(key, (running.get(key) ?? 0) - 1);
}

function takeCall({ calls, random }: OrganisationSubject): HeldCall | undefined {
  return calls.splice(Math.floor(random() * calls.length), 1)[0];
}

export async function settleOne(subject: OrganisationSubject): Promise<boolean> {
  const call = takeCall(subject);
  if (call !== undefined) await settle(subject, call);
  return call !== undefined;
}

/** Within what it has reserved. */
export async function settle(subject: OrganisationSubject, call: HeldCall): Promise<void> {
  const { process, reservation, permit, tokenId, name } = call;
  const { context } = process;
  const quota = Math.floor(subject.random() * (reservation.amount + 1));
  const more = { quota, token_id: tokenId, created_at: Math.floor(context.now() / 1000), request_id: name, prompt_tokens: 1 };
  const { id: _, ...row } = buildLog({ id: 0, user_id: subject.id, ...more });
  try {
    await context.ledger.settle(reservation, row);
  } finally {
    left(subject, call);
    permit?.settle(3);
    permit?.end(true);
  }
}

export async function releaseOne(subject: OrganisationSubject): Promise<boolean> {
  const call = takeCall(subject);
  if (call === undefined) return false;
  left(subject, call);
  call.process.context.ledger.release(call.reservation);
  call.permit?.end(true);
  return true;
}

export async function extendOne(subject: OrganisationSubject): Promise<boolean> {
  const call = takeCall(subject);
  if (call === undefined) return false;
  try {
    return await call.process.context.ledger.extend(call.reservation, 1 + Math.floor(subject.random() * usual));
  } finally {
    subject.calls.push(call);
  }
}

export function pick<T>(list: readonly T[], random: () => number): T {
  const item = list[Math.floor(random() * list.length)];
  if (item === undefined) throw new Error('There is nothing to pick');
  return item;
}
