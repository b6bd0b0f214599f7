// Sends a JSON request to a channel's upstream, with its key and proxy.
import type { AppContext } from '#server/context.ts';
import type { PiecedBody } from '#server/framing/byte-source.ts';
import { isTooDeep } from '#server/framing/json-depth.ts';
import { MemberText } from '#server/framing/member-text.ts';
import { framings } from '#server/framing/registry.ts';
import { exchange } from '#server/exchange/exchange.ts';
import { isTakenUnread } from '#server/exchange/failure-consequences.ts';
import { headersTo } from '#server/exchange/provider-headers.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { SendRequest } from '#server/exchange/send.ts';
import type { EventSource } from '#server/exchange/upstream-stream.ts';
import { invalidResponse, type UpstreamFailure } from '#server/exchange/upstream-error.ts';

export interface UpstreamQuestion {
  /** Base URL from the provider's record, if it is not the channel's. */
  base?: string;
  /** Path after the base URL, with its query. */
  path: string;
  /**
   * Stops reading where the member of that name, a text of megabytes, begins; the response is then an object with only
   * that member, empty.
   */
  until?: string;
  /** JSON by default. Without a body, the method is GET. */
  body?: Buffer | PiecedBody;
  contentType?: string;
  /** Method, if it is neither GET nor POST. */
  method?: 'DELETE';
  /** Headers in addition to the channel's. */
  headers?: Readonly<Record<string, string>>;
  milliseconds: number;
}

export type UpstreamAnswer =
  | { kind: 'answered'; value: unknown }
  /** `mayBeDone`: the upstream may have executed the request. */
  | { kind: 'failed'; failure: UpstreamFailure; mayBeDone: boolean };

const mostBytes = 8 * 1024 * 1024;

type UpstreamContext = Pick<AppContext, 'sender' | 'settings' | 'now'>;

export async function requestUpstream(
  context: UpstreamContext,
  channel: PreparedChannel,
  question: UpstreamQuestion,
): Promise<UpstreamAnswer> {
  const url = addressOfQuestion(channel, question);
  if (url === null) return { kind: 'failed', failure: invalidResponse(), mayBeDone: false };
  const { until } = question;
  const plain = questionRequest(channel, question, url);
  const request = until === undefined ? plain : { ...plain, isStream: true, framing: anyBytes };
  const sent = exchange(context, channel, await channel.authorize(request, { now: context.now(), sender: context.sender }), {
    responseMs: question.milliseconds,
    maxBytes: mostBytes,
  });
  const received = await sent.received;
  if (received.kind === 'failed') {
    const { failure, cause } = received;
    // A status is a response; a timeout after sending is none.
    return { kind: 'failed', failure, mayBeDone: cause === null ? isOpen(failure) : sent.sending.isSent };
  }
  if (received.kind === 'stream' && until === undefined) {
    received.stream.abort();
    return { kind: 'failed', failure: invalidResponse(), mayBeDone: true };
  }
  const body = received.kind === 'whole' ? received.body : await readUntil(received.stream, until ?? '', question.milliseconds);
  const value = body === null ? undefined : valueOf(body);
  return value === undefined ? { kind: 'failed', failure: invalidResponse(), mayBeDone: true } : { kind: 'answered', value };
}

const openStatuses: ReadonlySet<number> = new Set([408, 504, 524]);

/** Checks both the upstream's status and the mapped one. */
function isOpen({ status, upstreamStatus }: UpstreamFailure): boolean {
  return openStatuses.has(status) || openStatuses.has(upstreamStatus) || isTakenUnread(upstreamStatus);
}

/** Framing that treats any bytes as a stream. */
export const anyBytes = { ...framings.sse, mediaType: '', begins: () => true };

export function addressOfQuestion(channel: PreparedChannel, { base, path }: Pick<UpstreamQuestion, 'base' | 'path'>): URL | null {
  return URL.parse(`${base ?? channel.base}${path}`);
}

/** Returns null if the stream broke off, timed out, or is too long. */
function readUntil(stream: EventSource, member: string, milliseconds: number): Promise<Buffer | null> {
  const text = new MemberText(member);
  return new Promise((resolve) => {
    const finish = (body: Buffer | null) => {
      clearTimeout(timer);
      stream.abort();
      resolve(body);
    };
    const timer = setTimeout(finish, milliseconds, null);
    stream.read({
      data(chunk) {
        text.push(chunk);
        if (text.hasBegun) finish(Buffer.from(JSON.stringify({ [member]: '' })));
        else if (text.isTooLong) finish(null);
      },
      end: () => finish(Buffer.from(text.before, 'latin1')),
      fail: () => finish(null),
    });
  });
}

/** Builds the request to the channel's URL. */
export function questionRequest(channel: PreparedChannel, question: Omit<UpstreamQuestion, 'milliseconds'>, url: URL): SendRequest {
  const { body, method = body === undefined ? 'GET' : 'POST', headers: own = {} } = question;
  const { 'content-type': usual, ...headers } = channel.headers;
  const type = question.contentType ?? usual;
  return {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method,
    headers: headersTo(channel, headers, own, body === undefined || type === undefined ? {} : { 'content-type': type }),
    body: body ?? null,
    framing: framings.sse,
    proxy: channel.setting.proxy,
  };
}

/** Returns undefined if the text is no JSON, or nested too deep. */
function valueOf(body: Buffer): unknown {
  const text = body.toString('utf8');
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
