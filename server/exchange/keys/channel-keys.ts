// Keys of a channel that has several, each with the channel prepared for it on first use.
import { ChannelStatus } from '#shared/channels.ts';
import type { ChannelKeyRecord } from '#server/db/records/channel-key.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';

export interface ChannelKeys {
  /** All keys, the oldest first. */
  readonly all: readonly KeyOfChannel[];
  /** Keys that calls may use. */
  readonly enabled: readonly KeyOfChannel[];
  /** Cumulative sums of the enabled keys' weights; the last is the total. */
  readonly sums: readonly number[];
  /** Key that work without a choice uses: the first enabled one, else the first. */
  readonly lead: KeyOfChannel;
}

export interface KeyOfChannel {
  readonly id: number;
  readonly record: ChannelKeyRecord;
  /** Channel with this key. */
  readonly channel: PreparedChannel;
}

/** Returns undefined without records: the channel has the one key in its own record. */
export function createChannelKeys(
  records: readonly ChannelKeyRecord[],
  prepare: (record: ChannelKeyRecord) => PreparedChannel,
): ChannelKeys | undefined {
  const all = records.toSorted((one, other) => one.id - other.id).map((record) => keyOfChannel(record, prepare));
  const enabled = all.filter(({ record }) => record.status === ChannelStatus.enabled);
  const lead = enabled[0] ?? all[0];
  if (lead === undefined) return undefined;
  let sum = 0;
  return { all, enabled, sums: enabled.map(({ record }) => (sum += Math.max(1, record.weight))), lead };
}

function keyOfChannel(record: ChannelKeyRecord, prepare: (record: ChannelKeyRecord) => PreparedChannel): KeyOfChannel {
  let prepared: PreparedChannel | undefined;
  return {
    id: record.id,
    record,
    get channel() {
      return (prepared ??= prepare(record));
    },
  };
}

/** Compares what calls depend on, not figures and cool-downs. */
export function areSameKeys(one: readonly Pick<KeyOfChannel, 'record'>[], other: readonly ChannelKeyRecord[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ record }, at) => {
      const { id, revision, status, key_cipher, weight, most_parallel } = other[at] ?? {};
      return (
        record.id === id &&
        record.revision === revision &&
        record.status === status &&
        record.key_cipher === key_cipher &&
        record.weight === weight &&
        record.most_parallel === most_parallel
      );
    })
  );
}

/** Reports whether calls through `channel` can reach what was made through `bound`, which has one certain key. */
export function reaches(channel: PreparedChannel, bound: PreparedChannel): boolean {
  return channel.id === bound.id && (channel.keys !== undefined || channel.keyId === bound.keyId);
}

/** Returns the channel with that key; the channel as it is if it has one key only, or that key no more. */
export function withKey<Channel extends PreparedChannel | undefined>(
  channel: Channel,
  keyId: number | undefined,
): Channel | PreparedChannel {
  return channel?.keys?.all.find(({ id }) => id === keyId)?.channel ?? channel;
}
