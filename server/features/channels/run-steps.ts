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
  let failure: UpstreamFailure | undefined;
  let milliseconds = 0;
  const isPassed = await testChannel(
    { context, actor, language },
    {
      channel,
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
    isDisabled: reason !== null && (await disableChannel(context, channel.id, reason)),
    isEnabled: isPassed && milliseconds > 0 && (await enableAfterTest(context, channel, milliseconds)),
  };
};

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
