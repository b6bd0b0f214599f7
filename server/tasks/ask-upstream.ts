// A question in JSON to the upstream of a channel, as its calls are sent: with its key, through its proxy.
import type { AppContext } from '#server/context.ts';
import type { PiecedBody } from '#server/framing/byte-source.ts';
import { isTooDeep } from '#server/framing/json-depth.ts';
import { framings } from '#server/framing/registry.ts';
import { exchange } from '#server/upstream/exchange.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';
import type { SendRequest } from '#server/upstream/send.ts';
import { invalidResponse } from '#server/upstream/upstream-error.ts';
import type { UpstreamFailure } from '#server/upstream/upstream-error.ts';

export interface UpstreamQuestion {
  /** Behind the channel's base URL, with its query. */
  path: string;
  /** JSON, unless told. None: the question is a GET. */
  body?: Buffer | PiecedBody;
  contentType?: string;
  /** Where it is none of both. */
  method?: 'DELETE';
  /** Beside those of the channel. */
  headers?: Readonly<Record<string, string>>;
  milliseconds: number;
}

export type UpstreamAnswer =
  | { kind: 'answered'; value: unknown }
  /** `mayBeDone`: the upstream may have done what it was asked to do all the same. */
  | { kind: 'failed'; failure: UpstreamFailure; mayBeDone: boolean };

const mostBytes = 8 * 1024 * 1024;

type AskContext = Pick<AppContext, 'sender' | 'settings' | 'now'>;

export async function askUpstream(context: AskContext, channel: PreparedChannel, question: UpstreamQuestion): Promise<UpstreamAnswer> {
  const url = URL.parse(`${channel.base}${question.path}`);
  if (url === null) return { kind: 'failed', failure: invalidResponse(), mayBeDone: false };
  const request = questionRequest(channel, question, url);
  const sent = exchange(context, channel, await channel.authorize(request, { now: context.now(), sender: context.sender }), {
    responseMs: question.milliseconds,
    maxBytes: mostBytes,
  });
  const received = await sent.received;
  if (received.kind === 'failed') {
    // A status is an answer; silence after the question was sent is none.
    const { status } = received.failure;
    const mayBeDone = received.cause === null ? status === 504 || status === 524 || status === 408 : sent.sending.isSent;
    return { kind: 'failed', failure: received.failure, mayBeDone };
  }
  if (received.kind === 'stream') {
    received.stream.abort();
    return { kind: 'failed', failure: invalidResponse(), mayBeDone: true };
  }
  const value = valueOf(received.body);
  return value === undefined ? { kind: 'failed', failure: invalidResponse(), mayBeDone: true } : { kind: 'answered', value };
}

/** As it goes to that address, which is the channel's. */
export function questionRequest(channel: PreparedChannel, question: Omit<UpstreamQuestion, 'milliseconds'>, url: URL): SendRequest {
  const { body, method = body === undefined ? 'GET' : 'POST', headers: own = {} } = question;
  const { 'content-type': usual, ...headers } = channel.headers;
  const type = question.contentType ?? usual;
  return {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method,
    headers: { ...headers, ...own, ...(body === undefined || type === undefined ? {} : { 'content-type': type }) },
    body: body ?? null,
    framing: framings.sse,
    proxy: channel.setting.proxy,
  };
}

/** Undefined: it is no JSON, or nested too deep. */
function valueOf(body: Buffer): unknown {
  const text = body.toString('utf8');
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
