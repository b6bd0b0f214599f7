// Keys as administrators see them: state, figures and ending, never the key.
import type { ChannelKey, ChannelKeySheet, KeyState } from '#shared/channel-keys.ts';
import { ChannelStatus, figureHours, hourSeconds } from '#shared/channels.ts';
import { type Language, reasonText } from '#shared/errors.ts';
import { keyEnding } from '#shared/pasted-keys.ts';
import type { AppContext } from '#server/context.ts';
import type { ChannelKeyRecord, KeyCooldown } from '#server/db/records/channel-key.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { hourOf } from '#server/exchange/channel-figures.ts';
import type { KeyCounts, KeyHour } from '#server/exchange/keys/key-figures.ts';
import { newKey } from '#server/exchange/keys/new-key.ts';
import { presentInfo } from '#server/exchange/status-reason.ts';
import { keyText, readKeys } from './key-store.ts';

export async function readKeySheet(context: AppContext, channel: ChannelRecord, language: Language): Promise<ChannelKeySheet> {
  const time = context.now();
  const since = hourOf(time) - (figureHours - 1) * hourSeconds;
  const records = await readKeys(context, channel.id);
  const next = nextChannel(context, channel);
  const base = { time: Math.floor(time / 1000), since, next };
  if (records.length === 0) return { ...base, keys: [await presentOnlyKey(context, channel, { since, language })] };
  const hours = Map.groupBy(await context.keyFigures.read(channel.id, since), ({ keyId }) => keyId);
  const pending = context.keyFigures.pending(channel.id);
  const elsewhere = await countElsewhere(context, channel.id, records);
  const keys = records.map((record) =>
    present(record, {
      time,
      since,
      language,
      hours: hours.get(record.id) ?? [],
      pending: pending.get(record.id),
      elsewhere: elsewhere.get(record.key_hash) ?? 0,
    }),
  );
  return { ...base, keys };
}

interface Facts {
  time: number;
  since: number;
  language: Language;
  hours: readonly KeyHour[];
  pending: KeyCounts | undefined;
  elsewhere: number;
}

function present(record: ChannelKeyRecord, { time, since, language, hours, pending, elsewhere }: Facts): ChannelKey {
  const cooldowns = record.cooldowns.filter(({ until }) => until > time);
  const sums: [number, number][] = Array.from({ length: figureHours }, () => [0, 0]);
  let tokens = 0;
  for (const { hour, calls, failures, tokens: counted } of hours) {
    const sum = sums[(hour - since) / hourSeconds];
    tokens += counted;
    if (sum === undefined) continue;
    sum[0] += calls;
    sum[1] += failures;
  }
  const used = { calls: record.calls + (pending?.calls ?? 0), last: Math.max(record.last_used_time, pending?.lastUsed ?? 0) };
  const state = keyState(record, { time, isUsed: used.calls > 0 });
  const longest = longestCooldown(cooldowns);
  return {
    id: record.id,
    ending: record.ending,
    state,
    status: state === 'cooling_down' ? (longest?.status ?? 0) : record.status === ChannelStatus.enabled ? 0 : record.reason_status,
    reason: record.reason === null ? '' : reasonText(record.reason, language),
    since: record.status_time,
    by: record.status_by,
    cooling_until: state === 'cooling_down' ? Math.ceil((longest?.until ?? 0) / 1000) : 0,
    cooling_models: state !== 'cooling_down' || cooldowns.some(({ model }) => model === '') ? [] : cooldowns.map(({ model }) => model),
    weight: record.weight,
    most_parallel: record.most_parallel,
    note: record.note,
    created_time: record.created_time,
    last_used_time: used.last,
    total_calls: used.calls,
    total_failures: record.failures + (pending?.failures ?? 0),
    total_tokens: record.tokens + (pending?.tokens ?? 0),
    calls: sums.reduce((sum, [calls]) => sum + calls, 0),
    failures: sums.reduce((sum, [, failures]) => sum + failures, 0),
    tokens,
    hours: sums,
    elsewhere,
    revision: record.revision,
  };
}

export function keyState(
  { status, no_balance: isEmpty, cooldowns }: Pick<ChannelKeyRecord, 'status' | 'no_balance' | 'cooldowns'>,
  { time, isUsed }: { time: number; isUsed: boolean },
): KeyState {
  if (status === ChannelStatus.disabledByHand) return 'disabled';
  if (status === ChannelStatus.disabledBySystem) return isEmpty ? 'no_balance' : 'refused';
  if (cooldowns.some(({ until }) => until > time)) return 'cooling_down';
  return isUsed ? 'healthy' : 'new';
}

function longestCooldown(cooldowns: readonly KeyCooldown[]): KeyCooldown | undefined {
  return cooldowns.toSorted((one, other) => other.until - one.until)[0];
}

/** The only key of a channel, with the state and the figures of the channel. */
async function presentOnlyKey(
  context: AppContext,
  channel: ChannelRecord,
  { since, language }: { since: number; language: Language },
): Promise<ChannelKey> {
  const read = await context.figures.read(since, channel.id);
  const hours = read.map(({ hour, calls, failures }) => ({
    keyId: 0,
    channelId: channel.id,
    hour,
    calls,
    failures,
    // Figures of channels count tokens of prompts alone.
    tokens: 0,
    lastUsed: 0,
  }));
  const { status_reason: reason, status_time: at, status_by: by } = parseObject(presentInfo(channel.other_info, language)) ?? {};
  const record: ChannelKeyRecord = {
    ...newKey(context, { channel_id: channel.id, text: '' }),
    id: 0,
    ending: endingOf(context, channel),
    status: channel.status,
    status_time: typeof at === 'number' ? at : 0,
    status_by: typeof by === 'string' ? by : '',
    created_time: channel.created_time,
    weight: 1,
    calls: channel.used_quota > 0 ? 1 : 0,
    revision: channel.revision,
  };
  const elsewhere = await countElsewhere(context, channel.id, [channel]);
  const shown = present(record, {
    time: context.now(),
    since,
    language,
    hours,
    pending: undefined,
    elsewhere: elsewhere.get(channel.key_hash) ?? 0,
  });
  const { calls, failures, tokens } = shown;
  return {
    ...shown,
    ...(shown.state === 'new' && calls > 0 ? { state: 'healthy' as const } : {}),
    reason: typeof reason === 'string' ? reason : '',
    total_calls: calls,
    total_failures: failures,
    total_tokens: tokens,
  };
}

function endingOf(context: AppContext, channel: ChannelRecord): string {
  if (channel.key_cipher === '') return '';
  try {
    return keyEnding(keyText(context, channel));
  } catch {
    return '';
  }
}

/** Key hash → number of other channels that have the key. */
async function countElsewhere(
  { db }: AppContext,
  channelId: number,
  records: readonly { key_hash: string }[],
): Promise<Map<string, number>> {
  const hashes = [...new Set(records.map(({ key_hash }) => key_hash))];
  const found = new Map<string, Set<number>>();
  const note = (hash: string, id: number): void => {
    if (id === channelId) return;
    const ids = found.get(hash) ?? new Set();
    found.set(hash, ids.add(id));
  };
  for (let start = 0; start < hashes.length; start += hashesAtOnce) {
    const some = { key_hash: { in: hashes.slice(start, start + hashesAtOnce) } };
    for (const { key_hash, channel_id } of await db.collection('channel_keys').find(some)) note(key_hash, channel_id);
    for (const { key_hash, id } of await db.collection('channels').find(some)) note(key_hash, id);
  }
  return new Map([...found].map(([hash, ids]) => [hash, ids.size]));
}

const hashesAtOnce = 100;

/** The channel that calls of its first model go to if no key is left. */
function nextChannel({ channels }: AppContext, { id, group, models }: ChannelRecord): ChannelKeySheet['next'] {
  const [firstGroup = ''] = group.split(',');
  const [model = ''] = models.split(',');
  for (const tier of channels.tiers(firstGroup.trim(), model.trim())) {
    const other = tier.channels.find((channel) => channel.id !== id);
    if (other !== undefined) return { id: other.id, name: other.name };
  }
  return null;
}
