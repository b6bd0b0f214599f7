// Reads the response to an administrator's request; failures are reported in full, because administrators configure the channel.
import { AppError } from '#shared/errors.ts';
import type { FailureReason } from '#shared/failure-reasons.ts';
import type { Exchange } from '#server/exchange/exchange.ts';
import { maskSecrets } from '#server/exchange/mask-secrets.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { SendLimits } from '#server/exchange/send.ts';
import type { SendFailure } from '#server/exchange/send-failure.ts';
import type { EventSource } from '#server/exchange/upstream-stream.ts';
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';

interface ReceiveOptions {
  channel: PreparedChannel;
  limits: SendLimits;
  /** What a failure is called. */
  code: 'channel_test_failed' | 'channel_models_failed' | 'channel_balance_failed';
  /** Returns the reason for an error status. */
  refusal(failure: UpstreamFailure): FailureReason;
  /** The response is always a stream: all of it is the body. */
  takesStream?: boolean;
  /** Called with the failure before it is thrown. */
  onFailure?: ((failure: UpstreamFailure) => void) | undefined;
}

/** The body of a whole response. @throws {AppError} of the given code */
export async function receiveWhole(
  { sending, received }: Exchange,
  { channel, limits, code, refusal, onFailure, takesStream = false }: ReceiveOptions,
): Promise<Buffer> {
  // The sender's own deadline ends where a stream begins.
  const timer = setTimeout(() => sending.abort(), limits.responseMs);
  try {
    const response = await received;
    if (response.kind === 'whole') return response.body;
    if (response.kind === 'stream' && takesStream) return await collect(response.stream, limits.maxBytes, code);
    if (response.kind === 'stream') {
      response.stream.abort();
      throw new AppError(code, { detail: { code: 'invalid_upstream_response' } });
    }
    const { cause, failure } = response;
    onFailure?.(failure);
    const detail = cause === null ? refusal(failure) : reasonOf(cause, channel);
    throw new AppError(code, { detail }, cause === null ? {} : { cause });
  } finally {
    clearTimeout(timer);
  }
}

function collect(stream: EventSource, maxBytes: number, code: ReceiveOptions['code']): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const fail = (reason: keyof typeof reasons) => reject(new AppError(code, { detail: { code: reasons[reason] } }));
    stream.read({
      data(chunk) {
        size += chunk.length;
        if (size <= maxBytes) chunks.push(Buffer.from(chunk));
        else {
          stream.abort();
          fail('too_large');
        }
      },
      end: () => resolve(Buffer.concat(chunks)),
      fail: ({ reason }) => fail(reason),
    });
  });
}

const reasons = {
  network: 'do_request_failed',
  timeout: 'upstream_timeout',
  aborted: 'upstream_timeout',
  too_large: 'upstream_too_large',
  unreadable: 'invalid_upstream_response',
} as const;

/** Administrators may see network errors: they configured the address. */
function reasonOf({ reason, message }: SendFailure, { key }: PreparedChannel): FailureReason {
  return reason === 'network' ? { code: 'network', facts: { message: maskSecrets(message, { key }) } } : { code: reasons[reason] };
}
