// The outbox of notices: who is to be told what. They are written here, at once and durably, and sent by `deliver.ts`.
import { Role } from '#shared/roles.ts';
import { UserStatus } from '#shared/user.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';
import type { NotificationEvent, NotificationRecord } from '#server/db/records/notification.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { storableText } from '#server/db/storable.ts';

export interface NotificationDependencies {
  db: Database;
  now(): number;
}

/** What is over is shown this long. */
const keptMs = 30 * 24 * 3600 * 1000;
const longestText = 500;
/** One that comes and goes is told of once in that time. */
const channelMs = 10 * 60 * 1000;
/** A channel that does so does it all day. */
const limitMs = 24 * 3600 * 1000;

/** Queues a notice, unless there is one with that key. True: there was none. */
export async function queueNotification(
  { db, now }: NotificationDependencies,
  { key, userId, event }: { key: string; userId: number; event: NotificationEvent },
): Promise<boolean> {
  const rows = db.collection('notifications');
  const time = now();
  const record: NotificationRecord = {
    id: await db.nextId('notifications'),
    key,
    user_id: userId,
    event,
    state: 'waiting',
    attempts: 0,
    next_at: time,
    created_at: Math.floor(time / 1000),
  };
  try {
    await rows.insert(record);
    return true;
  } catch (failure) {
    if (failure instanceof UniqueConflict) return false;
    throw failure;
  }
}

/** Tells the super administrator that a channel was taken out of use, or back into it, without anybody's doing. */
export async function alertOfChannel(
  parts: NotificationDependencies,
  channel: { id: number; name: string; status: number; reason: string },
): Promise<void> {
  const root = await firstRoot(parts.db);
  if (root === null) return;
  const { id, status } = channel;
  const event = {
    code: 'channel_update',
    channel_id: id,
    name: plainText(channel.name),
    status,
    reason: plainText(channel.reason),
  } as const;
  await queueNotification(parts, { key: `channel:${id}:${status}:${Math.floor(parts.now() / channelMs)}`, userId: root.id, event });
}

export interface IgnoredLimit {
  /** Of the channel. */
  id: number;
  name: string;
  model: string;
  /** Whose call it was. */
  username: string;
  /** Tokens of all choices together. */
  limit: number;
  written: number;
}

/** Tells the super administrator that a channel writes more than it is allowed, which accounts may not be able to pay for. */
export async function alertOfIgnoredLimit(parts: NotificationDependencies, { id, limit, written, ...names }: IgnoredLimit): Promise<void> {
  const root = await firstRoot(parts.db);
  if (root === null) return;
  const [name, model, username] = [plainText(names.name), plainText(names.model), plainText(names.username)];
  const event = { code: 'limit_ignored', channel_id: id, name, model, username, limit, written } as const;
  await queueNotification(parts, { key: `limit:${id}:${model}:${Math.floor(parts.now() / limitMs)}`, userId: root.id, event });
}

export interface ToldDrift {
  /** Of the channel. */
  id: number;
  name: string;
  model: string;
  /** Calls of today, and what they cost by the model's price and by the provider, US dollars. */
  calls: number;
  ours: number;
  reported: number;
}

/** How often it is told, and how long it stands at home. */
export const driftMs = 24 * 3600 * 1000;

/** Tells the super administrator that a provider takes something else for its calls than their price says. */
export async function alertOfCostDrift(parts: NotificationDependencies, { id, calls, ...told }: ToldDrift): Promise<void> {
  const root = await firstRoot(parts.db);
  if (root === null) return;
  const [name, model] = [plainText(told.name), plainText(told.model)];
  const [ours, reported] = [told.ours, told.reported].map((dollars) => Number(dollars.toPrecision(6)));
  const event = { code: 'cost_drift', channel_id: id, name, model, calls, ours: ours ?? 0, reported: reported ?? 0 } as const;
  await queueNotification(parts, { key: `cost:${id}:${model}:${Math.floor(parts.now() / driftMs)}`, userId: root.id, event });
}

/** Newest notices that are looked at. */
const newestLooked = 200;

/** The drifts of the last day, the newest of each channel and model. */
export async function recentDrifts({
  db,
  now,
}: NotificationDependencies): Promise<(Extract<NotificationEvent, { code: 'cost_drift' }> & { at: number })[]> {
  const root = await firstRoot(db);
  if (root === null) return [];
  const rows = await db.collection('notifications').find({ user_id: root.id }, { sort: [['id', -1]], limit: newestLooked });
  const since = (now() - driftMs) / 1000;
  const drifts = rows.flatMap(({ event, created_at: at }) => (event.code === 'cost_drift' && at >= since ? [{ ...event, at }] : []));
  const seen = new Set<string>();
  return drifts.filter(({ channel_id: id, model }) => !seen.has(`${id} ${model}`) && seen.add(`${id} ${model}`));
}

/** Tells the super administrator that a channel's sign-in cannot be renewed: it ends within a day, if it has not yet. */
export async function alertOfSignIn(parts: NotificationDependencies, channel: { id: number; name: string; reason: string }): Promise<void> {
  const root = await firstRoot(parts.db);
  if (root === null) return;
  const { id } = channel;
  const event = { code: 'sign_in_ended', channel_id: id, name: plainText(channel.name), reason: plainText(channel.reason) } as const;
  await queueNotification(parts, { key: `sign-in:${id}:${parts.now()}`, userId: root.id, event });
}

/** Tells the super administrator that a test of all channels, which somebody began at that time, is through. Unix seconds. */
export async function noticeOfTests(parts: NotificationDependencies, startedAt: number): Promise<void> {
  const root = await firstRoot(parts.db);
  if (root === null) return;
  await queueNotification(parts, { key: `channel-test:${startedAt}`, userId: root.id, event: { code: 'channel_test' } });
}

export async function sweepNotifications({ db, now }: NotificationDependencies): Promise<void> {
  for (const state of ['sent', 'failed'] as const) {
    await db.collection('notifications').remove({ state, next_at: { lt: now() - keptMs } });
  }
}

function firstRoot(db: Database): Promise<UserRecord | null> {
  return db.collection('users').first({ role: Role.root, DeletedAt: null, status: UserStatus.active }, { sort: [['id', 1]] });
}

/** What providers and administrators write may hold anything. */
function plainText(text: string): string {
  return storableText(text, longestText).replace(/\p{Cc}+/gu, ' ');
}
