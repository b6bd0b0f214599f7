// Lists enabled channels that fail, for operators.
import { ChannelStatus, type FailingChannel } from '#shared/channels.ts';
import { type Language, reasonText } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import { type ChannelSlot, slotOf, slotSeconds, storedSlotSeconds } from './channel-slots.ts';
import type { PreparedChannel } from './prepared-channel.ts';
import { readReasonText } from './status-reason.ts';

type Context = Pick<AppContext, 'channels' | 'db' | 'figures' | 'now'>;

/** Window of fifteen minutes plus the current slot. */
const lateSeconds = 900;
/** Minimum number of calls to judge by, unless no other channel has the model. */
const fewestCalls = 10;
/** Required share of successful calls. */
const wellShare = 0.9;
/** Maximum number of entries. */
const most = 100;

/**
 * Lists failing channels: those with the most models that no other channel has first, then by failures.
 * @param language of the reasons
 */
export async function readFailingChannels({ channels, db, figures, now }: Context, language: Language): Promise<FailingChannel[]> {
  const time = now();
  const [late, tested] = await Promise.all([
    figures.slots.read(slotOf(time) - lateSeconds),
    db.collection('channels').find({ status: ChannelStatus.enabled, test_error: { gt: '' } }, { sort: [['id', 1]], limit: most }),
  ]);
  const passed = await passedTests(db, new Set(late.filter(({ failures }) => failures > 0).map(({ channelId }) => channelId)));
  const sums = sumsOf(late.filter(({ channelId, begins }) => begins >= (passed.get(channelId) ?? 0)));
  const soleModels = countSoleModels(channels.all());
  const failing = new Map<number, FailingChannel>();
  for (const channel of channels.all()) {
    if (channel.status === ChannelStatus.enabled && channel.problem !== null) {
      failing.set(channel.id, ofSettings(channel, reasonText(channel.problem, language), soleModels.get(channel.id) ?? 0));
    }
  }
  for (const [id, { calls, failures, status }] of sums) {
    const channel = channels.get(id);
    const sole = soleModels.get(id) ?? 0;
    if (channel === undefined || failing.has(id) || channel.status !== ChannelStatus.enabled || isWell({ calls, failures })) continue;
    if (calls < fewestCalls && sole === 0) continue;
    failing.set(id, { id, name: channel.name, by: 'calls', status, problem: '', since: 0, calls, failures, sole_models: sole });
  }
  for (const record of tested) {
    const sum = sums.get(record.id);
    // Calls have succeeded since: the test covered something else, or the cause is gone.
    if (failing.has(record.id) || (sum !== undefined && sum.calls >= fewestCalls && isWell(sum))) continue;
    failing.set(record.id, ofTest(record, { sum, sole: soleModels.get(record.id) ?? 0, language }));
  }
  const reported = [...failing.values()]
    .toSorted((a, b) => b.sole_models - a.sole_models || b.failures - a.failures || a.id - b.id)
    .slice(0, most);
  const since = (id: number) => failingSince(figures, id, { time, passedAt: passed.get(id) ?? 0 });
  return Promise.all(reported.map(async (one) => (one.by !== 'calls' ? one : { ...one, ...(await since(one.id)) })));
}

/**
 * Channel id → time of the last passed test, milliseconds; earlier failures do not count. Channels without one are
 * absent.
 */
async function passedTests(db: Context['db'], ids: ReadonlySet<number>): Promise<Map<number, number>> {
  if (ids.size === 0) return new Map();
  const records = await db.collection('channels').find({ id: { in: [...ids] } });
  return new Map(records.map(({ id, passed_at = 0 }) => [id, passed_at]));
}

interface Sum {
  calls: number;
  failures: number;
  /** Status of the newest failure. */
  status: number;
}

function isWell({ calls, failures }: Pick<Sum, 'calls' | 'failures'>): boolean {
  return failures === 0 || calls - failures >= calls * wellShare;
}

function sumsOf(slots: readonly ChannelSlot[]): Map<number, Sum> {
  const sums = new Map<number, Sum>();
  for (const { channelId, calls, failures, status } of slots.toSorted((a, b) => a.begins - b.begins)) {
    const sum = sums.get(channelId) ?? { calls: 0, failures: 0, status: 0 };
    sums.set(channelId, { calls: sum.calls + calls, failures: sum.failures + failures, status: status ?? sum.status });
  }
  return sums;
}

/** Start of the current failure streak, and the calls since. A healthy slot or a passed test ends a streak. */
async function failingSince(
  figures: Context['figures'],
  id: number,
  { time, passedAt }: { time: number; passedAt: number },
): Promise<Pick<FailingChannel, 'since'> & Partial<Pick<FailingChannel, 'calls' | 'failures'>>> {
  const slots = await figures.slots.read(slotOf(time) - storedSlotSeconds + slotSeconds, id);
  let since = slotOf(time);
  const sum = { calls: 0, failures: 0 };
  const counted = slots.filter(({ calls, begins }) => calls > 0 && begins >= passedAt);
  for (const slot of counted.toSorted((a, b) => b.begins - a.begins)) {
    if (isWell(slot)) break;
    // Earlier versions did not store `firstAt`.
    since = slot.firstAt ?? Math.floor(slot.begins / 1000);
    sum.calls += slot.calls;
    sum.failures += slot.failures;
  }
  // If the newest slot is healthy, the counts are those of the fifteen minutes.
  return sum.calls === 0 ? { since } : { since, ...sum };
}

/** Entry of a channel with invalid settings, through which no call is sent. */
function ofSettings({ id, name }: Pick<PreparedChannel, 'id' | 'name'>, problem: string, sole: number): FailingChannel {
  return { id, name, by: 'settings', status: 0, problem, since: 0, calls: 0, failures: 0, sole_models: sole };
}

function ofTest(
  record: ChannelRecord,
  { sum, sole, language }: { sum: Sum | undefined; sole: number; language: Language },
): FailingChannel {
  const { id, name, test_reason, test_error, test_time: since } = record;
  const problem = readReasonText(test_reason, test_error, language);
  return { id, name, by: 'test', status: 0, problem, since, calls: sum?.calls ?? 0, failures: sum?.failures ?? 0, sole_models: sole };
}

/** Channel id → number of its models that no other enabled channel has; channels without any are absent. */
function countSoleModels(all: Iterable<PreparedChannel>): Map<number, number> {
  const owner = new Map<string, number | null>();
  for (const channel of all) {
    if (channel.status !== ChannelStatus.enabled) continue;
    for (const model of new Set(channel.models)) owner.set(model, owner.has(model) ? null : channel.id);
  }
  const counts = new Map<number, number>();
  for (const id of owner.values()) if (id !== null) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
