// A request of an administrator's own through a channel: what fails on the way is told to whoever configured it.
import { AppError, errorText } from '#shared/errors.ts';
import type { Language } from '#shared/errors.ts';
import { maskSecrets } from '#server/upstream/mask-secrets.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';
import { SendFailure } from '#server/upstream/send.ts';
import type { SendLimits, SendRequest, Sender, WholeAnswer } from '#server/upstream/send.ts';

interface SendOptions {
  channel: PreparedChannel;
  language: Language;
  limits: SendLimits;
  /** What a failure is called. */
  code: 'channel_test_failed' | 'channel_models_failed';
}

/** The whole answer, whatever its status. @throws {AppError} of the given code */
export async function sendWhole(
  sender: Sender,
  request: SendRequest,
  { channel, language, limits, code }: SendOptions,
): Promise<WholeAnswer> {
  const sending = sender.send(request, limits);
  // The sender's own deadline ends where a stream begins.
  const timer = setTimeout(() => sending.abort(), limits.answerMs);
  try {
    const answer = await sending.answer;
    if (answer.kind === 'whole') return answer;
    answer.stream.abort();
    throw new AppError(code, { detail: errorText('invalid_upstream_response', language) });
  } catch (failure) {
    if (!(failure instanceof SendFailure)) throw failure;
    const reasons = {
      network: 'do_request_failed',
      timeout: 'upstream_timeout',
      aborted: 'upstream_timeout',
      too_large: 'upstream_too_large',
      unreadable: 'invalid_upstream_response',
    } as const;
    // Whoever configured the address may know what the network says about it.
    const words = failure.reason === 'network' ? ` (${maskSecrets(failure.message, { key: channel.key })})` : '';
    throw new AppError(code, { detail: errorText(reasons[failure.reason], language) + words }, { cause: failure });
  } finally {
    clearTimeout(timer);
  }
}
