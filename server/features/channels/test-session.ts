// Tests a channel with a model that works in realtime sessions only: a session is opened and closed. No response is requested, so the test costs
// nothing.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { defaultClientDialect } from '#server/formats/registry.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { closeCodes } from '#server/sockets/message-socket.ts';
import { UpstreamSocket } from '#server/sockets/upstream-socket.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';
import { handshakeOf } from '#server/exchange/handshake.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { SendFailure } from '#server/exchange/send-failure.ts';
import { failureOfSend, parseUpstreamError, refusedReason, type UpstreamFailure } from '#server/exchange/upstream-error.ts';

type TestContext = Pick<AppContext, 'sender' | 'now'>;

interface SessionTest {
  channel: PreparedChannel;
  model: string;
  responseMs: number;
  onFailure: ((failure: UpstreamFailure) => void) | undefined;
}

/** The way that it went. @throws {AppError} `channel_test_failed`, `format_unsupported` */
export async function testSession(context: TestContext, { channel, model, responseMs, onFailure }: SessionTest): Promise<ChannelRoute> {
  const { sender, now } = context;
  const route = channel.route(defaultClientDialect, 'realtime', model);
  if (route === null) throw new AppError('format_unsupported');
  const failed = (failure: UpstreamFailure): AppError => {
    onFailure?.(failure);
    return new AppError('channel_test_failed', { detail: refusedReason(failure) });
  };
  const begin = performance.now();
  const request = await route.format.authorize(handshakeOf(channel, route, { isBeta: false, isTranscription: false }), {
    now: now(),
    sender,
  });
  try {
    const response = await sender.upgrade(request, { responseMs }).response;
    if (response.kind === 'whole') {
      const { status, headers, body } = response;
      throw failed(parseUpstreamError({ status, text: body.toString('utf8', 0, 64 * 1024), headers, channel, now: now() }));
    }
    const first = await firstMessage(response.socket, responseMs - (performance.now() - begin));
    if (first?.['type'] === 'session.created') return route;
    const error = first?.['error'];
    const said = isObject(error) && typeof error.message === 'string' ? error.message : 'no session.created';
    throw new AppError('channel_test_failed', { detail: said.slice(0, 500) });
  } catch (cause) {
    if (cause instanceof SendFailure) throw failed(failureOfSend(cause, 'first_byte'));
    throw cause;
  }
}

/** Null: none has come. */
function firstMessage(raw: ConstructorParameters<typeof UpstreamSocket>[0], ms: number): Promise<Record<string, unknown> | null> {
  return new Promise((resolve) => {
    const socket = new UpstreamSocket(raw, {
      message(bytes) {
        end(parseObject(bytes.toString('utf8')));
      },
      drained() {},
      closed: () => end(null),
    });
    const timer = setTimeout(() => end(null), Math.max(0, ms));
    const end = (message: Record<string, unknown> | null) => {
      clearTimeout(timer);
      socket.close(closeCodes.normal, '');
      resolve(message);
    };
  });
}
