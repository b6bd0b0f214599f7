// Random interleavings of what happens to organisations, their keys, budgets and money, in three processes of which some are killed; and what must be true
// after each step, and when everything has ended.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { finishKeyMoves } from '#server/accounts/move-key.ts';
import { storedLimits } from '#server/accounts/stored-limits.ts';
import { sweepPeriods } from '#server/budgets/sweep-periods.ts';
import { createContext, type RunningContext } from '#server/create-context.ts';
import type { Database } from '#server/db/database.ts';
import { readEnv } from '#server/env.ts';
import { finishCallRefunds } from '#server/features/logs/refund-call.ts';
import { completeEnds, foundOrganisation } from '#server/features/organisations/found-organisation.ts';
import { returnEndedBalances } from '#server/features/organisations/return-balances.ts';
import { finishOrganisationTransfers } from '#server/features/organisations/transfer-quota.ts';
import { addMember } from '#server/accounts/members.ts';
import { createTeam } from '#server/features/organisations/edit-organisation.ts';
import { leasedOf } from '#server/money/account.ts';
import { audit } from '#server/money/audit.ts';
import { Role } from '#shared/roles.ts';
import { log } from '#tests/faults/bookkeeping.ts';
import { actOnce, budgets, dailyLimit } from '#tests/faults/organisation-acts.ts';
import {
  left,
  type OrganisationSubject,
  type Process,
  type SeenActs,
  settle,
  steadyAmount,
  steadyId,
} from '#tests/faults/organisation-calls.ts';
import { checkLeases, checkOrganisation, checkPeriods } from '#tests/faults/organisation-checks.ts';
import { createToken } from '#tests/support/build-token.ts';
import { buildUser } from '#tests/support/build.ts';
import { createClock, type TestClock } from '#tests/support/clock.ts';
import type { Engine, TestDatabase } from '#tests/support/engines.ts';
import { until } from '#tests/support/until.ts';
import { seededRandom } from '#tests/support/upstream-responses.ts';

export interface OrganisationRun {
  engine: Engine;
  runs: number;
  seed: number;
  /** Interleavings that share a database, its processes and their crashes. */
  atOnce: number;
  steps: number;
}

const processes = 3;
const startQuota = 4_000;
/** Milliseconds that a call waits for money of others. */
const leaseWaitMs = 40;
/** Milliseconds between looks for locks of the dead. */
const lockMs = 20;
const hour = 3_600_000;
/** Advances of the clock: none, past five hours, a day or a month. */
const advances = [0, 0, 0, 6 * hour, 26 * hour, 33 * 24 * hour];
/** Longer than jobs wait before they take work for abandoned. */
const abandonedMs = 60_000;

/** @throws when something is not as it must be, with the seed */
export async function runOrganisations({ engine, runs, seed, atOnce, steps }: OrganisationRun): Promise<SeenActs> {
  const seen: SeenActs = { killed: 0, periods: 0 };
  const random = seededRandom(seed);
  for (let done = 0; done < runs; done += atOnce) {
    const count = Math.min(atOnce, runs - done);
    const database = await engine.create();
    try {
      await runBatch(database, { count, seed: Math.floor(random() * 2 ** 31), seen, steps });
    } finally {
      await database.remove();
    }
  }
  return seen;
}

interface Batch {
  count: number;
  seed: number;
  seen: SeenActs;
  steps: number;
}

async function runBatch(database: TestDatabase, { count, seed, seen, steps }: Batch): Promise<void> {
  const where = `seed ${seed}`;
  const random = seededRandom(seed);
  const clock = createClock();
  const running: Process[] = [];
  for (let index = 0; index < processes; index += 1) running.push(await start(database, clock, `p${index}`));
  try {
    const subjects: OrganisationSubject[] = [];
    for (let index = 0; index < count; index += 1) subjects.push(await arrange(first(running).context, seededRandom(seed + index), seen));
    for (let step = 0; step < steps; step += 1) {
      await oneStep(database, { subjects, running, random, seen, clock, name: `s${step}` });
      await check(database, subjects, `${where}, step ${step}`);
      const advance = advances[Math.floor(random() * advances.length)] ?? 0;
      if (advance > 0) clock.advance(advance);
    }
    await finishAll(first(running).context, clock, subjects);
    await check(database, subjects, where);
    for (const subject of subjects) await checkOrganisation(database.db, subject, where);
    for (const { context } of running.splice(0)) await context.close();
    await checkLeases(database.db, where);
    seen['periods'] = (seen['periods'] ?? 0) + (await database.db.collection('budget_periods').count({}));
  } finally {
    for (const { context } of running) await context.close();
  }
}

interface Step {
  subjects: readonly OrganisationSubject[];
  running: Process[];
  random: () => number;
  seen: SeenActs;
  clock: TestClock;
  name: string;
}

/** Some acts of each at the same time; sometimes a process is killed in the middle of them, and another one takes its place. */
async function oneStep(database: TestDatabase, { subjects, running, random, seen, clock, name }: Step): Promise<void> {
  const alive = [...running];
  const acting = Promise.all(
    subjects.flatMap((subject) =>
      Array.from({ length: 1 + Math.floor(subject.random() * 4) }, () =>
        actOnce(subject, first(alive, Math.floor(subject.random() * alive.length))),
      ),
    ),
  );
  const index = random() < 0.5 ? Math.floor(random() * running.length) : -1;
  const victim = running[index];
  if (victim === undefined) {
    await acting;
    return;
  }
  for (let turns = Math.floor(random() * 200); turns > 0; turns -= 1) await new Promise(setImmediate);
  // All of its calls end with it, also those that are being settled.
  victim.isDead = true;
  for (const subject of subjects) for (const call of subject.calls) if (call.process === victim) left(subject, call);
  await kill(victim);
  seen['killed'] = (seen['killed'] ?? 0) + 1;
  // The others wait for a dead process' locks until these have expired.
  let isActing = true;
  const ended = acting.finally(() => (isActing = false));
  while (isActing) {
    await freeLocks(database.db, victim.mark);
    await sleep(lockMs);
  }
  await ended;
  running[index] = await start(database, clock, `${name}p`);
  for (const subject of subjects) subject.calls = subject.calls.filter(({ process }) => process !== victim);
  await first(running, (index + 1) % running.length).context.ledger.recoverCrashed();
}

async function start(database: TestDatabase, clock: TestClock, mark: string): Promise<Process> {
  const db = await database.open();
  const env = readEnv({ LOG_LEVEL: 'silent' });
  const context = await createContext({ env, db, masterKey: 'a master key for this test', log, now: clock.now, leaseWaitMs });
  const { randomText } = context;
  Object.assign(context, { randomText: (length: number) => (mark + randomText(length)).slice(0, Math.max(length, mark.length)) });
  return { context, db, mark, isDead: false };
}

/** Its database is gone for it, and it counts as dead for the others. */
async function kill({ context, db }: Process): Promise<void> {
  await db.collection('processes').patch({ id: context.ledger.processId }, { set: { heartbeat_at: 0 } });
  await db.close();
  context.close().catch(() => undefined);
}

async function freeLocks(db: Database, mark: string): Promise<void> {
  for (const { id, owner } of await db.collection('jobs').find({}))
    if (id.startsWith('edit:') && owner.startsWith(mark)) await db.collection('jobs').remove({ id, owner });
}

async function arrange(context: RunningContext, random: () => number, seen: SeenActs): Promise<OrganisationSubject> {
  const people = [];
  for (let index = 0; index < 4; index += 1) {
    const user = await buildUser(context);
    await context.db.collection('users').insert(user);
    const credit = { account: 'user', id: user.id, amount: startQuota, kind: 'test', ref: `start ${user.id}`, actorId: 0 } as const;
    await context.ledger.change(credit);
    people.push(user);
  }
  const root = await buildUser(context, { role: Role.root });
  await context.db.collection('users').insert(root);
  const [founder, ...others] = people;
  const { id } = await foundOrganisation(context, founder ?? root, { name: 'Tide', ref: 'found' });
  const credit = {
    account: 'user',
    id,
    amount: 1 + Math.floor(random() * 2 * startQuota),
    kind: 'test',
    ref: `start ${id}`,
    actorId: 0,
  } as const;
  await context.ledger.change(credit);
  const team = await createTeam(context, id, { name: 'team 0', budgets: budgets({ random }), rate_limits: dailyLimit({ random }) });
  const joining = { role: 'developer', source: 'invite', invited_by: root.id } as const;
  const keys: string[] = [];
  for (const [index, { id: userId }] of others.entries()) {
    const limits = index === 2 ? {} : storedLimits({ budgets: budgets({ random }) });
    await addMember(context, id, { ...joining, user_id: userId, team_id: index === 0 ? team.id : 0, ...limits });
    const steady = [{ id: steadyId, amount: steadyAmount, period: 'month', starts: 'calendar', at_end: 'stop' }] as const;
    const ofKey =
      index === 2 ? storedLimits({ budgets: steady }) : storedLimits({ budgets: budgets({ random }), rate_limits: dailyLimit({ random }) });
    const { token } = await createToken(context, id, { member_id: userId, ...(index === 1 ? { quota: startQuota } : {}), ...ofKey });
    keys.push(token.key_hash);
  }
  const service = await createToken(context, id, { member_id: 0, team_id: team.id });
  const shared = { passed: new Map(), running: new Map(), problems: [], calls: [] };
  return { id, people, keys: [service.token.key_hash, ...keys], root, random, seen, ...shared };
}

/** Whatever runs ends, and the jobs finish what was left. */
async function finishAll(context: RunningContext, clock: TestClock, subjects: readonly OrganisationSubject[]): Promise<void> {
  await Promise.all(subjects.flatMap((subject) => subject.calls.splice(0).map((call) => settle(subject, call))));
  await context.ledger.recoverCrashed();
  for (let round = 0; round < 3; round += 1) {
    clock.advance(abandonedMs);
    while ((await finishOrganisationTransfers(context)) > 0) clock.advance(abandonedMs);
    while ((await finishCallRefunds(context)) > 0) clock.advance(abandonedMs);
    for (let moves = 1; moves > 0;) {
      await finishKeyMoves(context);
      moves = await context.db.collection('tokens').count({ moving_at: { gt: 0 } });
    }
  }
  await sweepPeriods(context);
  await completeEnds(context);
  // What leases hold returns first.
  await until(async () => (await returnEndedBalances(context)) === 0 && !(await hasLeases(context.db)));
}

/** Of ended organisations. */
async function hasLeases(db: Database): Promise<boolean> {
  const ended = await db.collection('users').find({ kind: 'organisation', DeletedAt: { ne: null } });
  return ended.some((account) => leasedOf(account) > 0);
}

/** After each step, whatever runs. */
async function check({ db }: TestDatabase, subjects: readonly OrganisationSubject[], where: string): Promise<void> {
  expect((await audit(db)).findings, where).toEqual([]);
  await checkPeriods(db, where);
  expect(
    subjects.flatMap(({ problems }) => problems),
    `${where}: limits`,
  ).toEqual([]);
}

function first<T>(list: readonly T[], index = 0): T {
  const item = list[index];
  if (item === undefined) throw new Error('No process runs');
  return item;
}
