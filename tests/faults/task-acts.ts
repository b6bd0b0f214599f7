// Tasks among the interleavings of credits: drawings that are submitted, succeed or fail, as the upstream reports when it is polled or when it calls
// back; and the invariants of their price after each.
import { expect } from 'vitest';
import { type App, createApp } from '#server/app.ts';
import type { AppContext } from '#server/context.ts';
import type { RunningContext } from '#server/create-context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { balanceOf } from '#server/money/account.ts';
import { checkTasks } from '#server/work/tasks/check-tasks.ts';
import { notifyAddress } from '#server/tasks/notify-secret.ts';
import { pollTasks } from '#server/work/tasks/poll-tasks.ts';
import { finishRefunds } from '#server/work/tasks/refund-task.ts';
import type { Place } from '#tests/faults/bookkeeping.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { createToken } from '#tests/support/build-token.ts';
import { type FakeTaskUpstream, startTaskUpstream } from '#tests/support/fake-task-upstream.ts';

/** What has happened to tasks in a run. */
export interface SeenTasks {
  submitted: number;
  succeeded: number;
  refunded: number;
  /** Ended by an answer to a question, and by a call back. */
  polled: number;
  notified: number;
}

export interface TaskKey {
  id: number;
  key: string;
  userId: number;
}

/** Where tasks happen: one upstream for all processes, and the HTTP side of each process. */
export interface TaskDesk extends AsyncDisposable {
  upstream: FakeTaskUpstream;
  apps: Map<AppContext, App>;
  seen: SeenTasks;
}

interface TaskSubject {
  users: readonly UserRecord[];
  keys: readonly TaskKey[];
  random: () => number;
}

/** Quota that everybody begins with; a drawing costs 50,000. */
const startQuota = 300_000;
/** Quota that each limited key begins with: enough for some drawings. */
const keyQuota = 200_000;
const minute = 60_000;

export async function openTaskDesk({ other }: Place, seen: SeenTasks): Promise<TaskDesk> {
  const upstream = await startTaskUpstream();
  const id = await other.db.nextId('channels');
  const channel = buildChannel({ id, type: 2, models: 'mj_imagine', base_url: upstream.url, key: 'k' }, other.secrets);
  await other.db.collection('channels').insert(channel);
  await other.channels.reload();
  return { upstream, apps: new Map(), seen, [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose]() };
}

export function openApp(desk: TaskDesk, context: RunningContext): void {
  desk.apps.set(context, createApp(context));
}

/** A balance for everybody, and a key: that of the first has a limit. */
export async function createKeys(context: RunningContext, users: readonly UserRecord[]): Promise<TaskKey[]> {
  const keys: TaskKey[] = [];
  for (const [index, { id: userId }] of users.entries()) {
    const ref = `start ${userId}`;
    await context.ledger.change({ account: 'user', id: userId, amount: startQuota, kind: 'test', ref, actorId: 0 });
    const { token, key } = await createToken(context, userId, index === 0 ? { quota: keyQuota } : {});
    keys.push({ id: token.id, key, userId });
  }
  return keys;
}

/** A drawing and its outcome; of two simultaneous reports either may come first, whatever it contains. */
export async function draw(desk: TaskDesk, subject: TaskSubject, contexts: readonly RunningContext[]): Promise<void> {
  await submit(desk, subject, pick(contexts, subject.random));
  const choice = subject.random();
  const tellers: Promise<void>[] = [];
  if (choice < 0.6) tellers.push(callBack(desk, subject, pick(contexts, subject.random)));
  if (choice > 0.4) tellers.push(poll(desk, subject, pick(contexts, subject.random)));
  await Promise.all(tellers);
}

async function submit(desk: TaskDesk, { keys, random }: TaskSubject, context: AppContext): Promise<void> {
  const { key } = pick(keys, random);
  if (random() < 0.1) desk.upstream.refuse({ body: { code: 24, description: 'banned words', properties: {} } });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const request = new Request('http://tide.example/mj/submit/imagine', { method: 'POST', headers, body: '{"prompt":"a harbour"}' });
  await desk.apps.get(context)?.fetch(request, null);
}

/** Polls the upstream for the tasks; also for those that are being reported elsewhere. */
async function poll(desk: TaskDesk, subject: TaskSubject, context: AppContext): Promise<void> {
  const task = await someTask(subject, context);
  if (task?.upstream_id === undefined) return;
  desk.upstream.report(task.upstream_id, outcomeOf(subject.random));
  await pollTasks(minutesLater(context, 1 + Math.floor(subject.random() * 5)));
  if (subject.random() < 0.3) await finishRefunds(minutesLater(context, 6));
  // Another process takes submissions for lost that are only slow.
  if (subject.random() < 0.1) await checkTasks(minutesLater(context, 11));
  desk.seen.polled += 1;
}

/** A call back; some with a wrong secret, some of another task, some twice. */
async function callBack(desk: TaskDesk, subject: TaskSubject, context: RunningContext): Promise<void> {
  const { random } = subject;
  const task = await someTask(subject, context);
  const address = task === null ? null : notifyAddress(context, task.id);
  if (task?.upstream_id === undefined || address === null) return;
  const fault = random();
  const id = fault > 0.95 ? `${task.upstream_id}0` : task.upstream_id;
  const body = JSON.stringify({ id, ...outcomeOf(random) });
  const headers = { 'content-type': 'application/json' };
  for (let times = random() < 0.3 ? 2 : 1; times > 0; times -= 1) {
    const request = new Request(fault < 0.1 ? `${address}0` : address, { method: 'POST', headers, body });
    const response = await desk.apps.get(context)?.fetch(request, null);
    expect(response?.ok === true && (fault < 0.1 || fault > 0.95), 'a forged call back was taken').toBe(false);
    if (response?.ok === true) desk.seen.notified += 1;
  }
}

function outcomeOf(random: () => number): Record<string, unknown> {
  const choice = random();
  if (choice < 0.35) return { status: 'SUCCESS', progress: '100%', imageUrl: 'https://img.example/1.png' };
  if (choice < 0.85) return { status: 'FAILURE', progress: '100%', failReason: 'no' };
  return { status: 'IN_PROGRESS', progress: '40%' };
}

/** Also one that has ended: reports may be late. */
async function someTask({ users, random }: TaskSubject, { db }: AppContext) {
  const tasks = await db.collection('tasks').find({ user_id: { in: users.map(({ id }) => id) } }, { sort: [['id', -1]], limit: 5 });
  return tasks.length === 0 ? null : pick(tasks, random);
}

/** The jobs that finish what was left; what runs still fails. */
export async function finishTasks({ upstream }: TaskDesk, other: RunningContext): Promise<void> {
  for (const id of upstream.taken) upstream.report(id, { status: 'FAILURE', progress: '100%', failReason: 'no' });
  await checkTasks(minutesLater(other, 11));
  await pollTasks(minutesLater(other, 11));
  await finishRefunds(minutesLater(other, 12));
  await checkTasks(minutesLater(other, 13));
}

interface TaskBooks {
  desk: TaskDesk;
  user: UserRecord;
  keys: readonly TaskKey[];
  /** What the user's other calls took and gave back. */
  calls: { charged: number; refunded: number };
  where: string;
}

/** Of one user: each task costs its price once, or nothing when it failed. */
export async function checkTaskBooks({ db }: RunningContext, { desk, user, keys, calls, where }: TaskBooks): Promise<void> {
  const tasks = await db.collection('tasks').find({ user_id: user.id });
  const rows = (await db.collection('logs').find({ user_id: user.id, type: 2 })).filter(
    ({ process, other }) => process !== undefined && other?.['task'] !== undefined,
  );
  const refunds = await db.collection('ledger').find({ account: 'user', account_id: user.id, kind: 'task_refund' });
  for (const task of tasks) {
    const at = `${where}: task ${task.id}`;
    for (const field of ['refund_due_at', 'check_at', 'poll_at', 'running_user_id']) expect(task, at).not.toHaveProperty(field);
    expect(task.charge, at).not.toBe('open');
    const own = rows.filter(({ request_id }) => request_id === task.request_id);
    const paid = own.reduce((sum, { quota }) => sum + quota, 0);
    expect([own.length, paid], `${at}: charged`).toEqual(task.charge === 'done' ? [1, task.quota] : [0, 0]);
    expect(['SUCCESS', 'FAILURE'], at).toContain(task.status);
    expect(task.refunded_quota, `${at}: refunded`).toBe(task.status === 'FAILURE' ? paid : 0);
    const given = refunds.filter(({ ref }) => ref === `task:${task.id}:refund:user`);
    expect(
      given.reduce((sum, { amount }) => sum + amount, 0),
      `${at}: given back`,
    ).toBe(task.refunded_quota);
    desk.seen.submitted += Number(task.charge === 'done');
    desk.seen.succeeded += Number(task.status === 'SUCCESS');
    desk.seen.refunded += given.length;
  }
  const [charged, refunded] = [rows.reduce((sum, { quota }) => sum + quota, 0), refunds.reduce((sum, { amount }) => sum + amount, 0)];
  expect(charged, `${where}: rows without a task`).toBe(tasks.reduce((sum, { charge, quota }) => sum + (charge === 'done' ? quota : 0), 0));
  const spent = charged - refunded + calls.charged - calls.refunded;
  const limited = await db.collection('tokens').get(keys[0]?.id ?? 0);
  if (limited?.user_id === user.id) expect(balanceOf(limited), `${where}: the key`).toBe(keyQuota - spent);
  const record = await db.collection('users').get(user.id);
  expect(record?.used_quota, `${where}: used`).toBe(spent);
}

function minutesLater(context: AppContext, minutes: number): AppContext {
  return { ...context, now: () => context.now() + minutes * minute };
}

function pick<T>(list: readonly T[], random: () => number): T {
  const item = list[Math.floor(random() * list.length)];
  if (item === undefined) throw new Error('There is nothing to pick');
  return item;
}
