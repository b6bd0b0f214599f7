// What a run over all channels does with one of them.
import { ChannelStatus } from '#shared/channels.ts';
import { AppError, type Language } from '#shared/errors.ts';
import type { FailureReason } from '#shared/failure-reasons.ts';
import type { AppContext } from '#server/context.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { disableChannel, reasonToDisable } from '#server/exchange/auto-disable.ts';
import { parseChannelSetting } from '#server/exchange/channel-json.ts';
import { enableChannel } from '#server/exchange/auto-enable.ts';
import { providerOf } from '#server/providers/registry.ts';
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';
import type { ChannelKeyRecord } from '#server/db/records/channel-key.ts';
import { disableRefused } from '#server/exchange/keys/disable-key.ts';
import { readKeys } from './keys/key-store.ts';
import { recordWith, testedKey, testKey } from './keys/test-key.ts';
import { storeTestResult, testChannel } from './test-channel.ts';
import { updateBalance } from './update-balance.ts';

export interface RunOf {
  context: AppContext;
  actor: UserRecord;
  language: Language;
  /** False: the schedule began it. */
  isByHand: boolean;
  /** False: the process is closing, and a channel's result is dropped. */
  isWanted(): boolean;
}

export interface StepOutcome {
  isFailed: boolean;
  isDisabled: boolean;
  isEnabled: boolean;
}

const untestable: ReadonlySet<string> = new Set(['channel_test_orders', 'channel_test_unsupported', 'channel_test_unsupported_plus']);

export type RunStep = (run: RunOf, channel: ChannelRecord) => Promise<StepOutcome>;

export const testStep: RunStep = async ({ context, actor, language, isByHand, isWanted }, channel) => {
  if (!isByHand && parseChannelSetting(channel.setting)?.skipsAutomaticTests === true) {
    return { isFailed: false, isDisabled: false, isEnabled: false };
  }
  const keys = await readKeys(context, channel.id);
  if (keys.length > 0) await testRefusedKeys({ context, actor, language, isWanted }, channel, keys);
  const key = keys.length === 0 ? null : await testedKey(context, channel.id);
  let failure: UpstreamFailure | undefined;
  let milliseconds = 0;
  const isPassed = await testChannel(
    { context, actor, language },
    {
      channel: key === null ? channel : recordWith(channel, key),
      model: undefined,
      async keep(result) {
        milliseconds = result.response_time;
        if (isWanted()) await storeTestResult(context, channel.id, result, { isByHand });
      },
      onFailure: (found) => (failure = found),
    },
  ).then(
    () => true,
    (refused: unknown) => {
      if (!(refused instanceof AppError)) throw refused;
      // That it cannot be tested says nothing against it.
      return untestable.has(refused.code);
    },
  );
  if (!isWanted()) return { isFailed: !isPassed, isDisabled: false, isEnabled: false };
  const reason = reasonAgainst(context, channel, { failure, milliseconds });
  return {
    isFailed: !isPassed,
    isDisabled: reason !== null && (await disableTested(context, channel, { key, reason, failure })),
    isEnabled: isPassed && milliseconds > 0 && (await enableAfterTest(context, channel, milliseconds)),
  };
};

/** A refused key is disabled alone; a slow channel is slow with every key. */
async function disableTested(
  context: AppContext,
  channel: ChannelRecord,
  { key, reason, failure }: { key: ChannelKeyRecord | null; reason: FailureReason; failure: UpstreamFailure | undefined },
): Promise<boolean> {
  if (key === null || failure === undefined) return disableChannel(context, channel.id, reason);
  await disableRefused(context, { id: channel.id, keyId: key.id, record: recordWith(channel, key) }, { reason, failure });
  return (await context.db.collection('channels').get(channel.id))?.status === ChannelStatus.disabledBySystem;
}

/** Keys of a channel that one run tests: each test costs the provider's price. */
const mostKeysTested = 20;

/** Tests keys that were refused, those refused longest ago first, and enables those that pass, where that is switched on. */
async function testRefusedKeys(
  { context, actor, language, isWanted }: Omit<RunOf, 'isByHand'>,
  channel: ChannelRecord,
  keys: readonly ChannelKeyRecord[],
): Promise<void> {
  if (!context.settings.get('AutomaticEnableChannelEnabled')) return;
  const refused = keys.filter(({ status }) => status === ChannelStatus.disabledBySystem);
  for (const key of refused.toSorted((one, other) => one.status_time - other.status_time).slice(0, mostKeysTested)) {
    if (!isWanted()) return;
    await testKey({ context, actor, language }, { channel, key, model: undefined }).catch((failure: unknown) => {
      if (!(failure instanceof AppError)) throw failure;
    });
  }
}

/** A test that an upstream passes in time brings a channel back that had been disabled automatically, where that is switched on. */
export async function enableAfterTest(context: AppContext, { id, status }: ChannelRecord, milliseconds: number): Promise<boolean> {
  const isIntended = status === ChannelStatus.disabledBySystem && context.settings.get('AutomaticEnableChannelEnabled');
  return isIntended && !isTooSlow(context, milliseconds) && enableChannel(context, id);
}

/** Why a test takes the channel out of use; null when it does not. */
function reasonAgainst(
  context: AppContext,
  { auto_ban, type }: ChannelRecord,
  { failure, milliseconds }: { failure: UpstreamFailure | undefined; milliseconds: number },
): FailureReason | null {
  const isAutoBan = auto_ban === 1;
  // Nothing that a test sends could be quoted as a keyword.
  const channel = { isAutoBan, provider: providerOf(type) ?? null };
  const witness = { callerText: () => '', isConfirmed: true };
  const reason = failure === undefined ? null : reasonToDisable(context, channel, failure, witness);
  if (reason !== null) return reason;
  if (!isAutoBan || !context.settings.get('AutomaticDisableChannelEnabled') || !isTooSlow(context, milliseconds)) return null;
  const [taken, threshold] = [milliseconds / 1000, context.settings.get('ChannelDisableThreshold')];
  return { code: 'too_slow', facts: { taken: taken.toFixed(2), threshold: threshold.toFixed(2) } };
}

function isTooSlow({ settings }: AppContext, milliseconds: number): boolean {
  const threshold = settings.get('ChannelDisableThreshold');
  return threshold > 0 && milliseconds > threshold * 1000;
}

export const balanceStep: RunStep = async ({ context }, channel) => {
  try {
    const { isDisabled } = await updateBalance({ context }, channel);
    return { isFailed: false, isDisabled, isEnabled: false };
  } catch (refused) {
    if (!(refused instanceof AppError)) throw refused;
    // Most providers do not report a balance: that is no failure.
    return { isFailed: refused.code !== 'channel_balance_unsupported', isDisabled: false, isEnabled: false };
  }
};
