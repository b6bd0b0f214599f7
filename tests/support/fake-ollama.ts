// Ollama before the fake upstream: takes its own format strictly, and answers in lines.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseObject } from '#server/framing/loose-json.ts';
import { framings } from '#server/framing/registry.ts';
import { chatOf, ollamaLines, ollamaOf } from './ollama-responses.ts';
import { jsonOf, startFront } from './provider-front.ts';
import type { FrontedRequest, Judgement, ProviderFront } from './provider-front.ts';

export interface FakeOllama extends ProviderFront, AsyncDisposable {
  /** The bodies of the calls of its own format that it has taken, in order. */
  readonly taken: Record<string, unknown>[];
}

export async function startFakeOllama(upstreamUrl: string): Promise<FakeOllama> {
  const taken: Record<string, unknown>[] = [];
  const front = await startFront(upstreamUrl, (request) => judge(request, taken));
  return { ...front, [Symbol.asyncDispose]: () => front.close(), taken, channel: { type: 4, key: 'ollama' } };
}

function judge({ method, path, body }: FrontedRequest, taken: Record<string, unknown>[]): Judgement {
  if (method === 'GET' && path === '/api/tags') {
    const models = [
      { name: 'qwen3:8b', model: 'qwen3:8b', size: 5 },
      { name: 'llama3.2:latest', model: 'llama3.2:latest', size: 2 },
    ];
    return { kind: 'answer', status: 200, body: { models } };
  }
  if (path === '/v1/chat/completions') return { kind: 'pass', path, body: jsonOf(body) };
  if (path !== '/api/chat') return { kind: 'answer', status: 404, body: { error: `nothing at ${path}` } };
  const asked = jsonOf(body);
  taken.push(asked);
  const read = chatOf(asked);
  if ('fault' in read) return { kind: 'answer', status: 400, body: { error: read.fault } };
  return { kind: 'pass', path: '/v1/chat/completions', body: read.asked, relay };
}

function relay(answer: IncomingMessage, response: ServerResponse): void {
  if (answer.headers['content-type']?.startsWith('text/event-stream') === true) relayLines(answer, response);
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
  if (status !== 200) response.end(JSON.stringify({ error: Object(body?.['error']).message ?? 'error' }));
  else response.end(body?.['choices'] === undefined ? bytes : JSON.stringify(ollamaOf(body)));
}

function relayLines(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': framings['json-lines'].mediaType });
  const splitter = framings.sse.createSplitter();
  const convert = ollamaLines();
  answer.on('data', (chunk: Buffer) => {
    for (const { data } of framings.sse.events(splitter.push(chunk) ?? Buffer.alloc(0))) {
      const event = data === '[DONE]' ? null : parseObject(data);
      if (event === null) continue;
      const lines = event['error'] === undefined ? convert(event) : [{ error: 'the model runner has stopped' }];
      for (const line of lines) response.write(`${JSON.stringify(line)}\n`);
    }
  });
  answer.once('end', () => response.end());
}
