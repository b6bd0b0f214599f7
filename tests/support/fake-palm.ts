// PaLM before the fake upstream: takes its own format strictly, and answers whole.
import { relayOwn } from './own-chat-relay.ts';
import { type FrontedRequest, jsonOf, type Judgement, type ProviderFront, startFront } from './provider-front.ts';
import { demand, hasOnly, type Json, readStrictly } from './strict-requests.ts';
import { isObject } from './upstream-responses.ts';

const key = 'gkey';

export interface FakePalm extends ProviderFront, AsyncDisposable {
  readonly taken: Json[];
}

export async function startFakePalm(upstreamUrl: string): Promise<FakePalm> {
  const taken: Json[] = [];
  const front = await startFront(upstreamUrl, (request) => judge(request, taken));
  return { ...front, [Symbol.asyncDispose]: () => front.close(), taken, channel: { type: 11, key } };
}

function judge({ method, path, headers, body }: FrontedRequest, taken: Json[]): Judgement {
  if (headers['x-goog-api-key'] !== key || headers.authorization !== undefined)
    return refused(403, 'PERMISSION_DENIED', 'The key is not valid');
  if (method !== 'POST' || path !== '/v1beta2/models/chat-bison-001:generateMessage') return refused(404, 'NOT_FOUND', 'No such model');
  const requested = jsonOf(body);
  taken.push(requested);
  const read = readStrictly(() => chatOf(requested));
  if ('fault' in read) return refused(400, 'INVALID_ARGUMENT', read.fault);
  return { kind: 'pass', path: '/v1/chat/completions', body: read.requested, relay };
}

export function chatOf(body: Json): Json {
  const { prompt, temperature, candidateCount: count, topP, topK } = body;
  demand(hasOnly(body, ['prompt', 'temperature', 'candidateCount', 'topP', 'topK']), 'unknown field');
  demand(isObject(prompt) && hasOnly(prompt, ['context', 'examples', 'messages']), 'prompt');
  const { messages } = prompt;
  demand(Array.isArray(messages) && messages.length > 0, 'messages');
  demand(typeof count === 'number' && count >= 1 && count <= 8, 'candidateCount must be in 1 to 8');
  for (const number of [temperature, topP])
    demand(number === undefined || (typeof number === 'number' && number >= 0 && number <= 1), 'sampling');
  demand(topK === undefined || Number.isInteger(topK), 'topK');
  const reported = messages.map((message: unknown) => {
    demand(isObject(message) && hasOnly(message, ['author', 'content']), 'a message has an unknown field');
    const { author, content } = message;
    demand((author === '0' || author === '1') && typeof content === 'string' && content !== '', 'author and content');
    return { role: author === '0' ? 'user' : 'assistant', content };
  });
  return { model: 'gpt-4o-mini', messages: reported, ...(count === 1 ? {} : { n: count }) };
}

function refused(code: number, status: string, message: string): Judgement {
  return { kind: 'answer', status: code, body: { error: { code, message, status } } };
}

const relay = relayOwn({
  whole: ({ choices }) => ({
    candidates: (Array.isArray(choices) ? choices : []).map((choice: unknown) => ({
      author: '1',
      content: Object(Object(choice).message).content ?? '',
    })),
  }),
  events: () => () => [],
  failed: {},
  failure: (message) => ({ error: { code: 500, message, status: 'INTERNAL' } }),
});

/** Chunks of a chat completion as our stream of whole responses. */
export function palmEvents(): (chunk: Json) => Json[] {
  return ({ choices, usage }) => {
    const [choice] = Array.isArray(choices) ? choices : [];
    const { delta, finish_reason: reason } = Object(choice);
    const { content } = Object(delta);
    if (isObject(usage)) return [{ isFinished: true, usage: { input: usage['prompt_tokens'], output: usage['completion_tokens'] } }];
    const said = typeof content === 'string' && content !== '' ? [{ choice: 0, candidates: [{ author: '1', content }] }] : [];
    return typeof reason === 'string' ? [...said, { choice: 0, candidates: [{ finish: true }] }] : said;
  };
}
