// Outbox of notices: recipients and contents. They are written here, at once and durably, and sent by `deliver.ts`.
import { reasonText } from '#shared/errors.ts';
import type { PriceSyncFailure } from '#shared/price-sync.ts';
import type { FailureReason } from '#shared/failure-reasons.ts';
import { Role } from '#shared/roles.ts';
import { wantsChannelAlerts } from '#shared/user-setting.ts';
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

/** Administrators who are notified; for more of them, alerts make no sense. */
const mostAdministrators = 100;
/** What is over is shown this long. */
const retentionMs = 30 * 24 * 3600 * 1000;
const longestText = 500;
/** A recurring condition is reported once in that time. */
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

/** Alerts administrators that a channel was taken out of use, or back into it, without anybody's doing. */
export async function alertOfChannel(
  parts: NotificationDependencies,
  channel: { id: number; name: string; status: number; reason: FailureReason | null },
): Promise<void> {
  const { id, status } = channel;
  const event = {
    code: 'channel_update',
    channel_id: id,
    name: plainText(channel.name),
    status,
    // As versions before `why` read it.
    reason: channel.reason === null ? '' : plainText(reasonText(channel.reason, 'zh')),
    ...(channel.reason === null ? {} : { why: plainReason(channel.reason) }),
  } as const;
  await alertAdministrators(parts, `channel:${id}:${status}:${Math.floor(parts.now() / channelMs)}`, event);
}

/** Alerts administrators that one of a channel's keys was disabled, while others remain. */
export async function alertOfKey(
  parts: NotificationDependencies,
  key: { id: number; ending: string; remaining: number; why: FailureReason },
  channel: { id: number; name: string },
): Promise<void> {
  const { id, ending, remaining, why } = key;
  const event = {
    code: 'key_refused',
    channel_id: channel.id,
    name: plainText(channel.name),
    ending: plainText(ending),
    remaining,
    why: plainReason(why),
  } as const;
  await alertAdministrators(parts, `key:${id}:${Math.floor(parts.now() / channelMs)}`, event);
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

/** Alerts administrators that a channel writes more than it is allowed, which accounts may not be able to pay for. */
export async function alertOfIgnoredLimit(parts: NotificationDependencies, { id, limit, written, ...names }: IgnoredLimit): Promise<void> {
  const [name, model, username] = [plainText(names.name), plainText(names.model), plainText(names.username)];
  const event = { code: 'limit_ignored', channel_id: id, name, model, username, limit, written } as const;
  await alertAdministrators(parts, `limit:${id}:${model}:${Math.floor(parts.now() / limitMs)}`, event);
}

export interface ReportedDrift {
  /** Of the channel. */
  id: number;
  name: string;
  model: string;
  /** Calls of today, and what they cost by the model's price and by the provider, US dollars. */
  calls: number;
  ours: number;
  reported: number;
}

/** Interval of its reports, and time that it stays on the home screen. */
export const driftMs = 24 * 3600 * 1000;

/** Alerts administrators that a provider takes something else for its calls than their price says. */
export async function alertOfCostDrift(parts: NotificationDependencies, { id, calls, ...facts }: ReportedDrift): Promise<void> {
  const [name, model] = [plainText(facts.name), plainText(facts.model)];
  const [ours, reported] = [facts.ours, facts.reported].map((dollars) => Number(dollars.toPrecision(6)));
  const event = { code: 'cost_drift', channel_id: id, name, model, calls, ours: ours ?? 0, reported: reported ?? 0 } as const;
  await alertAdministrators(parts, `cost:${id}:${model}:${Math.floor(parts.now() / driftMs)}`, event);
}

/** Newest notices that are looked at. */
const newestLooked = 200;

/** The drifts of the last day, the newest of each channel and model. */
export async function recentDrifts({
  db,
  now,
}: NotificationDependencies): Promise<(Extract<NotificationEvent, { code: 'cost_drift' }> & { at: number })[]> {
  const administrators = await alertedAdministrators(db);
  const rows = await db
    .collection('notifications')
    .find({ user_id: { in: administrators.map(({ id }) => id) } }, { sort: [['id', -1]], limit: newestLooked });
  const since = (now() - driftMs) / 1000;
  const drifts = rows.flatMap(({ event, created_at: at }) => (event.code === 'cost_drift' && at >= since ? [{ ...event, at }] : []));
  const seen = new Set<string>();
  return drifts.filter(({ channel_id: id, model }) => !seen.has(`${id} ${model}`) && seen.add(`${id} ${model}`));
}

/** Alerts administrators that a channel's sign-in cannot be renewed: it ends within a day, if it has not yet. */
export async function alertOfSignIn(parts: NotificationDependencies, channel: { id: number; name: string; reason: string }): Promise<void> {
  const { id } = channel;
  const event = { code: 'sign_in_ended', channel_id: id, name: plainText(channel.name), reason: plainText(channel.reason) } as const;
  await alertAdministrators(parts, `sign-in:${id}:${parts.now()}`, event);
}

/** Alerts administrators that a test of all channels, started by a user at that time, is complete. Unix seconds. */
export async function noticeOfTests(parts: NotificationDependencies, startedAt: number): Promise<void> {
  await alertAdministrators(parts, `channel-test:${startedAt}`, { code: 'channel_test' });
}

export async function sweepNotifications({ db, now }: NotificationDependencies): Promise<void> {
  for (const state of ['sent', 'failed'] as const) {
    await db.collection('notifications').remove({ state, next_at: { lt: now() - retentionMs } });
  }
}

/** Queues a notice for each administrator who wants alerts about channels. @param key what happened */
async function alertAdministrators(parts: NotificationDependencies, key: string, event: NotificationEvent): Promise<void> {
  for (const { id } of await alertedAdministrators(parts.db)) {
    await queueNotification(parts, { key: `${key}:${id}`, userId: id, event });
  }
}

async function alertedAdministrators(db: Database): Promise<UserRecord[]> {
  const filter = { role: { gte: Role.admin }, DeletedAt: null, status: UserStatus.active };
  const administrators = await db.collection('users').find(filter, { sort: [['role', -1]], limit: mostAdministrators });
  return administrators.filter(wantsChannelAlerts);
}

function plainReason({ code, facts = {} }: FailureReason): FailureReason {
  const plain = (fact: NonNullable<FailureReason['facts']>[string]) => (typeof fact === 'string' ? plainText(fact) : fact);
  return { code, facts: Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, plain(fact)])) };
}

/** What providers and administrators write may hold anything. */
function plainText(text: string): string {
  return storableText(text, longestText).replace(/\p{Cc}+/gu, ' ');
}

export interface BilledDrift {
  /** Of the account at the provider. */
  id: number;
  name: string;
  /** First and last day, and number of days. */
  from: string;
  to: string;
  days: number;
  /** US dollars, decimal texts. */
  ours: string;
  billed: string;
}

/** Alerts administrators of a provider's bill that differs from the expected cost of its calls. */
export async function alertOfBill(parts: NotificationDependencies, { id, name, ...facts }: BilledDrift): Promise<void> {
  const [ours, billed] = [facts.ours, facts.billed].map((dollars) => Number(dollars).toFixed(2));
  const event = { ...facts, code: 'bill_drift', account_id: id, name: plainText(name), ours: ours ?? '', billed: billed ?? '' } as const;
  await alertAdministrators(parts, `bill:${id}:${facts.from}:${facts.to}:${facts.days}`, event);
}

export interface UsedBudget {
  /** Names the period and the mark. */
  key: string;
  /** Whose calls it counts; 0 for those of several. */
  userId: number;
  toAdministrators: boolean;
  event: Omit<Extract<NotificationEvent, { code: 'budget_used' }>, 'code'>;
}

/** Notifies the owner of a budget that was used up to a mark; of a budget of the site also administrators. */
export async function alertOfBudget(parts: NotificationDependencies, { key, userId, toAdministrators, event }: UsedBudget): Promise<void> {
  const used = { ...event, code: 'budget_used', subject: plainText(event.subject), name: plainText(event.name) } as const;
  if (userId !== 0) await queueNotification(parts, { key: `${key}:${userId}`, userId, event: used });
  if (toAdministrators) await alertAdministrators(parts, key, used);
}

const backupMs = 3_600_000;

/** Alerts administrators that a backup failed, at most once an hour. */
export async function alertOfBackup(parts: NotificationDependencies, backup: { name: string; reason: string }): Promise<void> {
  const event = { code: 'backup_failed', name: backup.name, reason: plainText(backup.reason) } as const;
  await alertAdministrators(parts, `backup:${Math.floor(parts.now() / backupMs)}`, event);
}

/** Names that a notice lists. */
const listedModels = 5;

function firstOf(models: readonly string[]): { count: number; models: string } {
  const shown = models.slice(0, listedModels).map(plainText);
  return { count: models.length, models: [...shown, ...(models.length > shown.length ? ['…'] : [])].join(', ') };
}

/** Alerts administrators of price changes that wait for a review. @param run number of the sync that found them */
export async function alertOfPriceReviews(
  parts: NotificationDependencies,
  { run, source, models }: { run: number | string; source: string; models: readonly string[] },
): Promise<void> {
  await alertAdministrators(parts, `price-review:${run}`, { code: 'price_review', source: plainText(source), ...firstOf(models) });
}

const priceSyncMs = 24 * 3600 * 1000;

/** Alerts administrators that prices could not be compared with the catalogue, at most once a day for each reason. */
export async function alertOfPriceSync(
  parts: NotificationDependencies,
  { source, reason, detail }: { source: string; reason: PriceSyncFailure; detail: string },
): Promise<void> {
  const event = { code: 'price_sync_failed', source: plainText(source), reason, detail: plainText(detail) } as const;
  await alertAdministrators(parts, `price-sync:${reason}:${Math.floor(parts.now() / priceSyncMs)}`, event);
}

/** Alerts administrators of planned price changes that were not applied. */
export async function alertOfPricePlans(
  parts: NotificationDependencies,
  { plan, models }: { plan: number; models: readonly string[] },
): Promise<void> {
  await alertAdministrators(parts, `price-plan:${plan}`, { code: 'price_plan_changed', ...firstOf(models) });
}
