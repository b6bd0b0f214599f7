// Ollama before the fake upstream: takes its own format strictly, and answers in lines.
import { framings } from '#server/framing/registry.ts';
import { chatOf, ollamaLines, ollamaOf } from './ollama-responses.ts';
import { relayOwn } from './own-chat-relay.ts';
import { type FrontedRequest, jsonOf, type Judgement, type ProviderFront, refusedText, startFront } from './provider-front.ts';

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
  if (path === '/v1/chat/completions' || path === '/v1/completions') return { kind: 'pass', path, body: jsonOf(body) };
  if (path === '/api/embed') return embedded(jsonOf(body));
  if (path !== '/api/chat') return { kind: 'answer', status: 404, body: { error: `nothing at ${path}` } };
  const requested = jsonOf(body);
  taken.push(requested);
  const read = chatOf(requested);
  if ('fault' in read) return { kind: 'answer', status: 400, body: { error: read.fault } };
  return { kind: 'pass', path: '/v1/chat/completions', body: read.requested, relay };
}

/** https://docs.ollama.com/api/embed */
function embedded({ model, input, ...others }: Record<string, unknown>): Judgement {
  const unknown = Object.keys(others).filter((name) => !['truncate', 'options', 'keep_alive', 'dimensions'].includes(name));
  if (Array.isArray(input) && input.includes(refusedText)) return { kind: 'answer', status: 400, body: { error: refusedText } };
  if (typeof model !== 'string' || !Array.isArray(input) || unknown.length > 0)
    return { kind: 'answer', status: 400, body: { error: `invalid request ${unknown.join()}` } };
  const embeddings = input.map((text: unknown, index) => [String(text).length, index]);
  return { kind: 'answer', status: 200, body: { model, embeddings, total_duration: 1, load_duration: 1, prompt_eval_count: 7 } };
}

const relay = relayOwn({
  whole: ollamaOf,
  events: ollamaLines,
  failed: { error: 'the model runner has stopped' },
  failure: (message) => ({ error: message }),
  write: (line) => `${JSON.stringify(line)}\n`,
  mediaType: framings['json-lines'].mediaType,
});
