// A library of AI Proxy before the fake upstream: takes its own format strictly, and answers in its events.
import { relayOwn } from './own-chat-relay.ts';
import { type FrontedRequest, jsonOf, type Judgement, type ProviderFront, startFront } from './provider-front.ts';
import { demand, hasOnly, type Json, readStrictly } from './strict-requests.ts';

const key = 'lib-key';
const library = '12';
const documents = [{ title: 'Tides', url: 'https://a.example/tides' }];

export interface FakeLibrary extends ProviderFront {
  readonly taken: Json[];
}

export async function startFakeLibrary(upstreamUrl: string): Promise<FakeLibrary> {
  const taken: Json[] = [];
  const front = await startFront(upstreamUrl, (request) => judge(request, taken));
  return { ...front, taken, channel: { type: 21, key, other: library } };
}

function judge({ method, path, headers, body }: FrontedRequest, taken: Json[]): Judgement {
  const refused = (errCode: number, message: string): Judgement => ({
    kind: 'answer',
    status: 200,
    body: { success: false, errCode, message },
  });
  if (headers.authorization !== `Bearer ${key}`) return refused(401, 'Invalid token');
  if (method !== 'POST' || path !== '/api/library/ask') return refused(404, `nothing at ${path}`);
  const requested = jsonOf(body);
  taken.push(requested);
  const read = readStrictly(() => chatOf(requested));
  return 'fault' in read ? refused(400, read.fault) : { kind: 'pass', path: '/v1/chat/completions', body: read.requested, relay };
}

function chatOf(requested: Json): Json {
  demand(hasOnly(requested, ['model', 'query', 'libraryId', 'stream']), 'unknown field');
  const { query, libraryId, stream } = requested;
  demand(libraryId === library && typeof stream === 'boolean', 'libraryId and stream');
  demand(typeof query === 'string' && query !== '', 'query');
  const streamed = stream ? { stream: true, stream_options: { include_usage: true } } : {};
  return { model: 'gpt-4o-mini', messages: [{ role: 'user', content: query }], ...streamed };
}

const relay = relayOwn({
  whole: ({ choices }) => {
    const [choice] = Array.isArray(choices) ? choices : [];
    return { success: true, answer: Object(Object(choice).message).content ?? '', documents };
  },
  events: () => libraryEvents({ usage: false }),
  failed: { success: false, errCode: 500, message: 'Internal error' },
  failure: (message) => ({ success: false, errCode: 400, message }),
  failureStatus: 200,
});

/** Converts chunks of a chat completion to events of a library. `usage`: as in our own responses, which the library lacks. */
export function libraryEvents({ usage: reports }: { usage: boolean }): (chunk: Json) => Json[] {
  return ({ choices, model, usage }) => {
    const end = { content: '', finish: true, model, documents };
    if (reports && usage !== undefined && usage !== null) {
      const { prompt_tokens: input, completion_tokens: output } = Object(usage);
      return [{ ...end, usage: { input, output } }];
    }
    const [choice] = Array.isArray(choices) ? choices : [];
    const { delta, finish_reason: reason } = Object(choice);
    const { content } = Object(delta);
    const said = typeof content === 'string' && content !== '' ? [{ content, finish: false, model, documents: [] }] : [];
    return typeof reason === 'string' && !reports ? [...said, end] : said;
  };
}
