// Makes the record of one of several keys of a channel. A channel gets records only if it has, or shall have, several keys: then
// one for each, and the channel's own `key_cipher` and `key_hash` are those of the first.
import { ChannelStatus } from '#shared/channels.ts';
import { keyEnding } from '#shared/pasted-keys.ts';
import type { AppContext } from '#server/context.ts';
import type { ChannelKeyRecord } from '#server/db/records/channel-key.ts';

export interface NewKey {
  channel_id: number;
  /** As `readPastedKeys` returns it. */
  text: string;
  weight?: number;
  /** Of `ChannelStatus`. */
  status?: number;
}

export const defaultKeyWeight = 10;

export function newKey({ secrets, now }: Pick<AppContext, 'secrets' | 'now'>, given: NewKey): Omit<ChannelKeyRecord, 'id'> {
  const { channel_id, text, weight = defaultKeyWeight, status = ChannelStatus.enabled } = given;
  const time = Math.floor(now() / 1000);
  return {
    channel_id,
    ...keyFields(secrets, text),
    status,
    status_time: status === ChannelStatus.enabled ? 0 : time,
    status_by: '',
    reason: null,
    reason_status: 0,
    no_balance: false,
    cooldowns: [],
    weight,
    most_parallel: 0,
    note: '',
    created_time: time,
    calls: 0,
    failures: 0,
    tokens: 0,
    last_used_time: 0,
    revision: 1,
  };
}

export function keyFields(
  secrets: Pick<AppContext['secrets'], 'encrypt' | 'hash'>,
  text: string,
): Pick<ChannelKeyRecord, 'key_cipher' | 'key_hash' | 'ending'> {
  return { key_cipher: secrets.encrypt(text, 'channel_key'), key_hash: secrets.hash(text), ending: keyEnding(text) };
}
