// Cohere before the fake upstream: takes its own format strictly, and answers in its events.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseObject } from '#server/framing/loose-json.ts';
import { framings } from '#server/framing/registry.ts';
import { chatOf, cohereEvents, cohereOf } from './cohere-responses.ts';
import { jsonOf, startFront } from './provider-front.ts';
import type { FrontedRequest, Judgement, ProviderFront } from './provider-front.ts';

const key = 'co-key';

export interface FakeCohere extends ProviderFront, AsyncDisposable {
  /** The bodies of the calls that it has taken, in order. */
  readonly taken: Record<string, unknown>[];
}

export async function startFakeCohere(upstreamUrl: string): Promise<FakeCohere> {
  const taken: Record<string, unknown>[] = [];
  const front = await startFront(upstreamUrl, (request) => judge(request, taken));
  return { ...front, [Symbol.asyncDispose]: () => front.close(), taken, channel: { type: 34, key } };
}

function judge({ method, path, headers, body }: FrontedRequest, taken: Record<string, unknown>[]): Judgement {
  if (headers.authorization !== `Bearer ${key}`) return refused(401, 'invalid api token');
  if (method !== 'POST') return refused(404, `nothing at ${path}`);
  const asked = jsonOf(body);
  taken.push(asked);
  if (path === '/v2/embed') return embedded(asked);
  if (path !== '/v2/chat') return refused(404, `nothing at ${path}`);
  const read = chatOf(asked);
  if ('fault' in read) return refused(400, read.fault);
  return { kind: 'pass', path: '/v1/chat/completions', body: read.asked, relay };
}

function embedded({ texts, input_type: type, embedding_types: types }: Record<string, unknown>): Judgement {
  if (!Array.isArray(texts) || texts.length > 96 || typeof type !== 'string' || !Array.isArray(types))
    return refused(400, 'invalid request');
  const float = texts.map((text: unknown, index) => [String(text).length, index]);
  return { kind: 'answer', status: 200, body: { id: 'e1', embeddings: { float }, texts, meta: { billed_units: { input_tokens: 7 } } } };
}

function refused(status: number, message: string): Judgement {
  return { kind: 'answer', status, body: { id: 'r1', message } };
}

function relay(answer: IncomingMessage, response: ServerResponse): void {
  if (answer.headers['content-type']?.startsWith('text/event-stream') === true) relayEvents(answer, response);
  else void relayWhole(answer, response);
}

/** What is no chat completion stays what it is. */
async function relayWhole(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(Buffer.from(chunk));
  const bytes = Buffer.concat(chunks);
  const body = parseObject(bytes.toString());
  const status = answer.statusCode ?? 502;
  const retry = answer.headers['retry-after'];
  response.writeHead(status, { 'content-type': 'application/json', ...(retry === undefined ? {} : { 'retry-after': retry }) });
  if (status !== 200) response.end(JSON.stringify({ id: 'r1', message: Object(body?.['error']).message ?? 'error' }));
  else response.end(body?.['choices'] === undefined ? bytes : JSON.stringify(cohereOf(body)));
}

function relayEvents(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': framings.sse.mediaType });
  const splitter = framings.sse.createSplitter();
  const convert = cohereEvents();
  const failed = { type: 'message-end', delta: { finish_reason: 'ERROR', error: 'the generation has failed' } };
  answer.on('data', (chunk: Buffer) => {
    for (const { data } of framings.sse.events(splitter.push(chunk) ?? Buffer.alloc(0))) {
      const event = data === '[DONE]' ? null : parseObject(data);
      if (event === null) continue;
      const events = event['error'] === undefined ? convert(event) : [failed];
      for (const one of events) response.write(`event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`);
    }
  });
  answer.once('end', () => response.end());
}
