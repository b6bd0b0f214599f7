// Hash of a channel's key, stored with objects that exist in its provider's account: only the same key can use them.
import type { Secrets } from '#server/secrets/secrets.ts';
import type { PreparedChannel } from './prepared-channel.ts';

type Hashing = Pick<Secrets, 'hash'>;

export function keyBehind(secrets: Hashing, { key }: Pick<PreparedChannel, 'key'>): string {
  return secrets.hash(`objects behind ${key}`).slice(0, 22);
}

interface Channels {
  channels: { get(id: number): PreparedChannel | undefined };
  secrets: Hashing;
}

/**
 * Returns the channel with the key that an object was made with; undefined if it has that key no more. Disabled channels and
 * keys are returned as well.
 */
export function channelBehind({ channels, secrets }: Channels, id: number, key: string): PreparedChannel | undefined {
  const channel = channels.get(id);
  if (channel === undefined) return undefined;
  if (channel.keys === undefined) return keyBehind(secrets, channel) === key ? channel : undefined;
  let byKey = behind.get(channel.keys);
  if (byKey === undefined) {
    byKey = new Map(channel.keys.all.map((one) => [keyBehind(secrets, one.channel), one.channel]));
    behind.set(channel.keys, byKey);
  }
  return byKey.get(key);
}

/** Channels by the hash of their key, for channels with several. */
const behind = new WeakMap<object, Map<string, PreparedChannel>>();
