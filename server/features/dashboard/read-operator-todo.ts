// What an operator may have to do something about. Everything here is found by an index or is in memory.
import { ChannelStatus } from '#shared/channels.ts';
import type { OperatorTodo, RefusalGroup } from '#shared/dashboard.ts';
import { unsetModelRatio } from '#shared/find-price.ts';
import { LogType } from '#shared/logs.ts';
import { RefusalFacts } from '#shared/refusal-facts.ts';
import { mayWriteSetting } from '#shared/settings.ts';
import { pricedName } from '#shared/pricing-rules.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { balanceOf } from '#server/money/account.ts';
import { refusedUnpriced } from '#server/logs/refused-unpriced.ts';
import { readUsageState, readUsageTotals } from '#server/logs/read-usage.ts';
import { hourOf, hourSeconds } from '#server/logs/rollup-shape.ts';
import { readFailingChannels } from '#server/exchange/failing-channels.ts';
import { presentInfo } from '#server/exchange/status-reason.ts';
import type { Language } from '#shared/errors.ts';
import { recentDrifts } from '#server/notify/notifications.ts';
import { priceSettings } from '#server/settings/price-maps.ts';
import { siteAddress } from '#server/settings/site-address.ts';

type Context = Pick<AppContext, 'channels' | 'db' | 'figures' | 'ledger' | 'mail' | 'quotes' | 'settings' | 'now'>;

const daySeconds = 24 * hourSeconds;
/** Shown; further ones are on their screens. */
const most = 5;
/** Users of the last day that are looked at, those who spent most first. */
const mostUsers = 500;
/** Of one cause and token, looked at for the last call: more than a minute has. */
const newestRows = 40;
/** Most models that are listed. */
const mostUnpriced = 50;
const priceKeys = [...priceSettings.map(([, key]) => key), 'ToolPrice', 'QuotaPerUnit'];

/** @param untrustedProxy of this request, which takes the same way as the others */
export async function readOperatorTodo(
  context: Context,
  { role, untrustedProxy, language }: { role: number; untrustedProxy: string | null; language: Language },
): Promise<OperatorTodo> {
  const at = Math.floor(context.now() / 1000);
  const [channels, failing, low, refusals, refused, drifts, prices] = await Promise.all([
    disabledChannels(context, language),
    readFailingChannels(context, language),
    lowUsers(context, at),
    refusalGroups(context, at),
    refusedUnpriced(context.db, at),
    priceDrifts(context),
    priceUpdates(context),
  ]);
  const unpriced = unpricedModels(context, refused);
  const lacks_address = mayWriteSetting('ServerAddress', role) && context.mail.isConfigured && siteAddress(context.settings) === undefined;
  return {
    at,
    channels: channels.slice(0, most),
    failing: failing.slice(0, most),
    channel_counts: { disabled: channels.length, failing: failing.length },
    enabled_channels: countChannels(context.channels.all()),
    refusals,
    low_users: low.slice(0, most),
    low_user_count: low.length,
    unpriced: unpriced.slice(0, mostUnpriced),
    unpriced_count: unpriced.length,
    ...(context.settings.get('SelfUseModeEnabled') && { unpriced_ratio: unsetModelRatio }),
    drifts,
    ...(prices === undefined ? {} : { prices }),
    is_stuck: context.ledger.isStuck,
    lacks_address,
    ...(untrustedProxy === null ? {} : { untrusted_proxy: untrustedProxy }),
  };
}

async function disabledChannels({ db }: Context, language: Language): Promise<OperatorTodo['channels']> {
  const found = await db.collection('channels').find({ status: ChannelStatus.disabledBySystem });
  return found
    .map(({ id, name, other_info }) => ({ id, name, ...reasonOf(presentInfo(other_info, language)) }))
    .toSorted((a, b) => b.since - a.since);
}

/** Not those whose prices were changed since: what is said of them is of before. */
async function priceDrifts(context: Context): Promise<NonNullable<OperatorTodo['drifts']>> {
  const drifts = await recentDrifts(context);
  if (drifts.length === 0 || context.settings.get('CostDriftPercent') === 0) return [];
  const prices = await context.db.collection('options').find({ id: { in: priceKeys } });
  const changedAt = Math.max(0, ...prices.map(({ updated_at: time }) => time));
  return drifts
    .filter(({ at }) => at > changedAt)
    .slice(0, most)
    .map(({ channel_id: channel, name, model, calls, ours, reported, at }) => ({ channel, name, model, calls, ours, reported, at }));
}

/** Undefined: nothing has to be done about them. */
async function priceUpdates({ db }: Context): Promise<OperatorTodo['prices']> {
  const [reviews, changed, [last]] = await Promise.all([
    db.collection('price_reviews').count({ state: 'waiting' }),
    db.collection('price_plans').count({ state: 'changed' }),
    db.collection('price_syncs').find({}, { sort: [['id', -1]], limit: 1 }),
  ]);
  const has_failed = last?.state === 'failed';
  return reviews === 0 && changed === 0 && !has_failed ? undefined : { reviews, changed, has_failed };
}

function reasonOf(info: string): { reason: string; since: number } {
  try {
    const { status_reason: reason, status_time: since } = { status_reason: '', status_time: 0, ...JSON.parse(info) };
    return { reason: typeof reason === 'string' ? reason : '', since: typeof since === 'number' ? Math.floor(since) : 0 };
  } catch {
    return { reason: '', since: 0 };
  }
}

async function lowUsers({ db, settings }: Context, at: number): Promise<OperatorTodo['low_users']> {
  const to = hourOf(at) + hourSeconds;
  const totals = await readUsageTotals(db, await readUsageState(db), { kind: 'user', from: to - daySeconds, to });
  const ids = [...totals]
    .toSorted(([, a], [, b]) => b.quota - a.quota)
    .slice(0, mostUsers)
    .map(([name]) => Number(name));
  if (ids.length === 0) return [];
  const users = await db.collection('users').find({ id: { in: ids } });
  const threshold = settings.get('QuotaRemindThreshold');
  return users
    .filter((user) => user.DeletedAt === null && balanceOf(user) < threshold)
    .map((user) => ({ id: user.id, username: user.username, quota: balanceOf(user) }))
    .toSorted((a, b) => a.quota - b.quota);
}

const refusalsSince = (since: number): Filter<LogRecord> => ({ plain_type: LogType.refusal, created_at: { gte: since } });

/** Returns one line for each cause of each token, over all requested models. All are summed: a token may have many rows a minute. */
async function refusalGroups({ db }: Context, at: number): Promise<RefusalGroup[]> {
  const logs = db.collection('logs');
  const filter = refusalsSince(at - daySeconds);
  const sums = await logs.group({
    filter,
    by: ['other.refusal.code', 'user_id', 'token_name'],
    sum: { calls: 'other.refusal.count' },
  });
  const listed = sums.toSorted((a, b) => Number(b['calls']) - Number(a['calls'])).slice(0, most);
  const groups = await Promise.all(
    listed.map(async ({ calls, user_id, token_name, 'other.refusal.code': code }) => {
      const own = { user_id: Number(user_id), token_name: String(token_name), 'other.refusal.code': String(code) };
      const rows: LogRecord[] = await logs.find({ ...filter, ...own }, { sort: [['created_at', -1]], limit: newestRows });
      const [newest] = rows
        .flatMap((row) => {
          const facts = RefusalFacts.safeParse(row.other?.['refusal']).data;
          return facts === undefined ? [] : [{ row, facts }];
        })
        .toSorted((a, b) => b.facts.last_at - a.facts.last_at);
      if (newest === undefined) return [];
      const { row, facts } = newest;
      const { reason, last_at } = facts;
      return [
        { code: facts.code, reason, username: row.username, token_name: row.token_name, count: Number(calls), last_at, log_id: row.id },
      ];
    }),
  );
  return groups.flat().toSorted((a, b) => b.count - a.count || b.last_at - a.last_at);
}

function countChannels(all: Iterable<{ status: number }>): number {
  let count = 0;
  for (const { status } of all) if (status === ChannelStatus.enabled) count += 1;
  return count;
}

/** Returns models without a price, by the names that prices are stored under: those requested in the last day, and those of enabled channels. */
function unpricedModels({ channels, quotes }: Context, refused: ReadonlyMap<string, number>): OperatorTodo['unpriced'] {
  const counts = new Map<string, number>();
  for (const model of channels.enabledModels()) counts.set(pricedName(model), 0);
  for (const [model, count] of refused) if (model !== '') counts.set(pricedName(model), count + (counts.get(pricedName(model)) ?? 0));
  return (
    [...counts]
      .map(([model, count]) => ({ model, count }))
      // What was refused may have a price by now.
      .filter(({ model }) => quotes.knownPriceOf(model, 'default', { group: 'default' }) === null)
      .toSorted((a, b) => b.count - a.count || a.model.localeCompare(b.model))
  );
}
