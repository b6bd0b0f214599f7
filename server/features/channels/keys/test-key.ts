// Tests one key of a channel by a small request.
import { ChannelStatus } from '#shared/channels.ts';
import type { AppContext } from '#server/context.ts';
import { reasonToDisable } from '#server/exchange/auto-disable.ts';
import { disableRefused } from '#server/exchange/keys/disable-key.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import type { ChannelKeyRecord } from '#server/db/records/channel-key.ts';
import { providerOf } from '#server/providers/registry.ts';
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';
import { type ChannelTest, testChannel, type TestResult } from '../test-channel.ts';
import { enableAfterPass } from './change-keys.ts';
import { readKeys } from './key-store.ts';

/**
 * Returns the duration in seconds. A key that passes after a refusal is enabled; one that is refused is disabled, if channels may be.
 * @throws {AppError} as `testChannel`
 */
export async function testKey(
  test: ChannelTest,
  {
    channel,
    key,
    model,
    keep,
  }: { channel: ChannelRecord; key: ChannelKeyRecord; model: string | undefined; keep?: (result: TestResult) => Promise<void> | void },
): Promise<number> {
  const { context } = test;
  let failure: UpstreamFailure | undefined;
  try {
    const seconds = await testChannel(test, {
      channel: recordWith(channel, key),
      model,
      keep: keep ?? (() => undefined),
      onFailure: (found) => (failure = found),
    });
    await enableAfterPass(context, key);
    return seconds;
  } catch (refused) {
    if (failure !== undefined && key.status === ChannelStatus.enabled) {
      const prepared = { isAutoBan: channel.auto_ban === 1, provider: providerOf(channel.type) ?? null };
      // Nothing that a test sends could be quoted as a keyword.
      const reason = reasonToDisable(context, prepared, failure, { callerText: () => '', isConfirmed: true });
      const refusedKey = { id: channel.id, keyId: key.id, record: recordWith(channel, key) };
      if (reason !== null) await disableRefused(context, refusedKey, { reason, failure });
    }
    throw refused;
  }
}

/** The key that a test of the whole channel uses: the first enabled one, else the first; null if the channel has one key. */
export async function testedKey(context: Pick<AppContext, 'db'>, channelId: number): Promise<ChannelKeyRecord | null> {
  const records = await readKeys(context, channelId);
  return records.find(({ status }) => status === ChannelStatus.enabled) ?? records[0] ?? null;
}

/** The channel's record with one of its keys. */
export function recordWith(
  channel: ChannelRecord,
  { key_cipher, key_hash }: Pick<ChannelKeyRecord, 'key_cipher' | 'key_hash'>,
): ChannelRecord {
  return { ...channel, key_cipher, key_hash };
}
