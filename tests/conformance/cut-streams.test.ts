// Streams between all formats: wherever the network splits them the caller receives the same, and any content is mapped or ends in an
// error, never in an exception.
import { describe, expect, test } from 'vitest';
import { clientDialects, upstreamDialects } from '#server/formats/registry.ts';
import type { ClientDialect } from '#server/formats/client-dialect.ts';
import { openStream } from '#server/formats/open-stream.ts';
import { TextTally } from '#server/formats/text-tally.ts';
import type { Route } from '#server/formats/route.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import { eventFrame } from '#tests/support/aws-oracle.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { messageEvents, readMessages } from '#tests/support/claude-responses.ts';
import { cohereEvents } from '#tests/support/cohere-responses.ts';
import { cozeEvents, writeCozeEvent } from '#tests/support/coze-responses.ts';
import { agentEvents } from '#tests/support/perplexity-responses.ts';
import { difyEvents } from '#tests/support/dify-responses.ts';
import { converseEvents } from '#tests/support/converse-responses.ts';
import { ernieFrames } from '#tests/support/ernie-responses.ts';
import { baiduKey } from '#tests/support/fake-baidu.ts';
import { bedrockApiKey } from '#tests/support/fake-bedrock.ts';
import { sparkKey } from '#tests/support/fake-spark.ts';
import { sparkMessages } from '#tests/support/fake-spark-sockets.ts';
import { tencentKey } from '#tests/support/fake-tencent.ts';
import { libraryEvents } from '#tests/support/fake-library.ts';
import { palmEvents } from '#tests/support/fake-palm.ts';
import { replicateEvents, writeReplicateEvent } from '#tests/support/fake-replicate.ts';
import { geminiEvents, readGemini } from '#tests/support/gemini-responses.ts';
import { hunyuanEvents } from '#tests/support/hunyuan-responses.ts';
import { ollamaLines } from '#tests/support/ollama-responses.ts';
import { readResponses, responseEvents } from '#tests/support/openai-responses.ts';
import type { Behaviour, UpstreamError } from '#tests/support/upstream-behaviour.ts';
import { chatChunks, isRefusal, readChat } from '#tests/support/upstream-responses.ts';

const model = 'gpt-4o-mini';
const messages = [{ role: 'user', content: 'Hi' }];
const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];

/** How each format writes a stream of a behaviour. */
const streams: Readonly<
  Record<
    string,
    { type: number; setting: string; key?: string; other?: string; mapping?: string; write(behaviour: Behaviour): string | Buffer }
  >
> = {
  'openai-chat': {
    type: 1,
    setting: '',
    write(behaviour) {
      const request = known(readChat({ model, messages, stream: true, stream_options: { include_usage: true } }));
      return `${sse([...chatChunks(request, behaviour, 'chatcmpl-1')])}data: [DONE]\n\n`;
    },
  },
  claude: {
    type: 14,
    setting: '',
    write: (behaviour) =>
      sse([...messageEvents(known(readMessages({ model, messages, max_tokens: 99, stream: true })), behaviour, 'msg_1')]),
  },
  'openai-responses': {
    type: 1,
    setting: JSON.stringify({ formats: ['openai-responses'] }),
    write: (behaviour) => sse([...responseEvents(known(readResponses({ model, input: 'Hi', stream: true })), behaviour, 'resp_1')]),
  },
  gemini: {
    type: 24,
    setting: '',
    write(behaviour) {
      const request = known(readGemini(`/v1beta/models/${model}:streamGenerateContent?alt=sse`, { contents }));
      return sse([...geminiEvents(request, behaviour, 'r1')]);
    },
  },
  converse: {
    type: 33,
    setting: '',
    key: bedrockApiKey,
    write(behaviour) {
      const request = known(readMessages({ model, messages, max_tokens: 99, stream: true }));
      const reported = [...messageEvents(request, behaviour, 'msg_1')].flatMap(converseEvents());
      return Buffer.concat(reported.map(({ name, data }) => eventFrame(name, data)));
    },
  },
  ernie: {
    type: 15,
    setting: '',
    key: baiduKey,
    write(behaviour) {
      const request = known(readChat({ model, messages, stream: true, stream_options: { include_usage: true } }));
      const frames = ernieFrames();
      return sse([...chatChunks(request, behaviour, 'chatcmpl-1')].flatMap((chunk) => frames({ ...chunk })));
    },
  },
  hunyuan: {
    type: 23,
    setting: '',
    key: tencentKey,
    write(behaviour) {
      const request = known(readChat({ model, messages, stream: true, stream_options: { include_usage: true } }));
      const events = hunyuanEvents();
      return sse([...chatChunks(request, behaviour, 'chatcmpl-1')].flatMap((chunk) => events({ ...chunk })));
    },
  },
  dify: {
    type: 37,
    setting: '',
    write(behaviour) {
      const request = known(readChat({ model, messages, stream: true, stream_options: { include_usage: true } }));
      const events = difyEvents();
      return sse([...chatChunks(request, behaviour, 'chatcmpl-1')].flatMap((chunk) => events({ ...chunk })));
    },
  },
  coze: {
    type: 49,
    setting: '',
    write(behaviour) {
      const request = known(readChat({ model, messages, stream: true, stream_options: { include_usage: true } }));
      const events = cozeEvents();
      return [...chatChunks(request, behaviour, 'chatcmpl-1')]
        .flatMap((chunk) => events({ ...chunk }))
        .map(writeCozeEvent)
        .join('');
    },
  },
  replicate: {
    type: 56,
    setting: '',
    mapping: JSON.stringify({ [model]: 'meta/meta-llama-3-8b-instruct' }),
    write(behaviour) {
      const request = known(readChat({ model, messages, stream: true, stream_options: { include_usage: true } }));
      const events = replicateEvents({ metrics: true });
      return [...chatChunks(request, behaviour, 'chatcmpl-1')]
        .flatMap((chunk) => events({ ...chunk }))
        .map(writeReplicateEvent)
        .join('');
    },
  },
  palm: {
    type: 11,
    setting: '',
    write(behaviour) {
      const request = known(readChat({ model, messages, stream: true, stream_options: { include_usage: true } }));
      const events = palmEvents();
      return sse([...chatChunks(request, behaviour, 'chatcmpl-1')].flatMap((chunk) => events({ ...chunk })));
    },
  },
  library: {
    type: 21,
    setting: '',
    other: '12',
    write(behaviour) {
      const request = known(readChat({ model, messages, stream: true, stream_options: { include_usage: true } }));
      const events = libraryEvents({ usage: true });
      return sse([...chatChunks(request, behaviour, 'chatcmpl-1')].flatMap((chunk) => events({ ...chunk })));
    },
  },
  spark: {
    type: 18,
    setting: JSON.stringify({ formats: ['spark'] }),
    key: sparkKey,
    mapping: JSON.stringify({ [model]: 'SparkDesk-v4.0' }),
    write(behaviour) {
      const request = known(readChat({ model, messages, stream: true, stream_options: { include_usage: true } }));
      const events = sparkMessages();
      return sse([...chatChunks(request, behaviour, 'chatcmpl-1')].flatMap((chunk) => events({ ...chunk })));
    },
  },
  cohere: {
    type: 34,
    setting: '',
    write(behaviour) {
      const request = known(readChat({ model, messages, stream: true, stream_options: { include_usage: true } }));
      const events = cohereEvents();
      return sse([...chatChunks(request, behaviour, 'chatcmpl-1')].flatMap((chunk) => events({ ...chunk })));
    },
  },
  'perplexity-agent': {
    type: 27,
    setting: '',
    write(behaviour) {
      const request = known(readChat({ model, messages, stream: true, stream_options: { include_usage: true } }));
      const events = agentEvents({ isSearch: true, mark: '[1]' });
      return sse([...chatChunks(request, behaviour, 'chatcmpl-1')].flatMap((chunk) => events({ ...chunk })));
    },
  },
  ollama: {
    type: 4,
    setting: JSON.stringify({ formats: ['ollama'] }),
    write(behaviour) {
      const request = known(readChat({ model, messages, stream: true, stream_options: { include_usage: true } }));
      const lines = ollamaLines();
      return [...chatChunks(request, behaviour, 'chatcmpl-1')]
        .flatMap((chunk) => lines({ ...chunk }))
        .map((line) => `${JSON.stringify(line)}\n`)
        .join('');
    },
  },
};

const behaviours: Readonly<Record<string, Behaviour>> = {
  text: { reasoning: 'Der Mond 🌕.', text: 'Flut um 12 Uhr 🌊.' },
  calls: { toolCalls: [{ id: 'call_1', name: 'get', arguments: '{"port":"Sète 🌊"}' }] },
};

function known<Request extends object>(request: Request | UpstreamError): Request {
  if (isRefusal(request)) throw new Error(request.message);
  return request;
}

function sse(events: readonly object[]): string {
  return events.map((event) => `${'type' in event ? `event: ${String(event.type)}\n` : ''}data: ${JSON.stringify(event)}\n\n`).join('');
}

const routes = new Map<string, Route>();

function routeOf(client: ClientDialect, format: string): Route {
  const name = `${client.name} ${format}`;
  const { type = 1, setting = '', key = 'sk-a', other = '', mapping = '' } = streams[format] ?? {};
  const fields = { type, setting, key, other, model_mapping: mapping, base_url: 'https://up.example' };
  const route = routes.get(name) ?? buildPreparedChannel(fields).route(client, 'chat', model);
  if (route === null) throw new Error('There is no way');
  routes.set(name, route);
  return route;
}

interface Reported {
  text: string;
  next: string;
  usage: TokenUsage | null;
}

/** What a caller gets of these pieces. */
function report(client: ClientDialect, format: string, pieces: readonly Buffer[]): Reported {
  const route = routeOf(client, format);
  const tally = new TextTally({ countText: () => Promise.resolve(0), estimateText: () => 0 });
  const writer = { model, requestId: 'r1', createdAt: 1_700_000_000, wantsUsage: true, promptEstimate: 7, now: () => 1_700_000_001 };
  const pipe = openStream({ client, route, upstreamModel: model, writer, tally });
  const splitter = route.framing.createSplitter();
  const out: Buffer[] = [];
  for (const piece of pieces) {
    const events = splitter.push(piece);
    if (events === null) continue;
    const step = pipe.push(Buffer.from(events), true);
    out.push(...step.forClient);
    if (typeof step.next === 'object') return { text: Buffer.concat(out).toString(), next: 'error', usage: null };
    if (step.next !== 'more' && step.next !== 'complete') return { text: Buffer.concat(out).toString(), next: step.next, usage: null };
    if (step.next === 'complete') break;
  }
  const { usage } = pipe.reportedUsage();
  out.push(pipe.ending(usage));
  pipe.close();
  return { text: Buffer.concat(out).toString(), next: 'end', usage };
}

const pairs = Object.entries(clientDialects).flatMap(([caller, client]) =>
  Object.keys(streams).map((format) => ({ caller, client: client as ClientDialect, format })),
);

/** What reads a format is the same for every caller of another one: each byte is tried where the caller speaks it, some elsewhere. */
function stepOf(client: ClientDialect, format: string): number {
  return client.name === format ? 1 : 29;
}

/** Of each format every reader and every writer, not each pair. */
const ofEach = pairs.filter(({ client, format }) => [client.name, 'openai-chat'].includes(format) || client.name === 'openai-chat');

test('every format of providers is here', () => {
  expect(Object.keys(streams).toSorted()).toEqual(Object.keys(upstreamDialects).toSorted());
});

describe.each(pairs)('$format to $caller', ({ client, format }) => {
  test.each(Object.keys(behaviours))('%s: cut at any byte it is the same', (name) => {
    const bytes = Buffer.from(streams[format]?.write(behaviours[name] ?? {}) ?? '');
    const whole = report(client, format, [bytes]);
    expect(whole.next).toBe('end');
    expect(whole.usage?.output).toBeGreaterThan(0);
    for (let at = 1; at < bytes.length; at += stepOf(client, format)) {
      const cut = report(client, format, [bytes.subarray(0, at), bytes.subarray(at)]);
      if (cut.text !== whole.text || cut.next !== whole.next) expect({ at, ...cut }).toEqual({ at, ...whole });
    }
    const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    expect(report(client, format, single)).toEqual(whole);
  });

  test('bytes that are no UTF-8, anywhere, are told or end in an error', () => {
    const bytes = Buffer.from(streams[format]?.write({ text: 'Flut um 12.' }) ?? '');
    for (let at = 0; at < bytes.length; at += stepOf(client, format)) {
      const spoilt = Buffer.from(bytes);
      spoilt[at] = 0xff;
      const { next, usage } = report(client, format, [spoilt]);
      expect(['end', 'error', 'invalid']).toContain(next);
      for (const count of Object.values(usage ?? {})) expect(Number.isInteger(count) && count >= 0, `${at}: ${count}`).toBe(true);
    }
  });

  test.each([-1, 1.5, 'twelve', '1e9', true, {}, 1e300, Number.MAX_SAFE_INTEGER])('a usage of %j is not believed', (odd) => {
    const numbers = ['prompt_tokens', 'completion_tokens', 'total_tokens', 'input_tokens', 'output_tokens', 'promptTokenCount'];
    const usage = Object.fromEntries(
      [...numbers, 'candidatesTokenCount', 'totalTokenCount', 'thoughtsTokenCount'].map((field) => [field, odd]),
    );
    const { next, usage: reported } = report(client, format, [Buffer.from(streams[format]?.write({ text: 'Noon.', usage }) ?? '')]);
    expect(next).toBe('end');
    expect(reported).toBeNull();
  });
});

describe.each(ofEach)('$format to $caller', ({ client, format }) => {
  test('an event of 10 MB passes', () => {
    const long = 'x'.repeat(10_000_000);
    const bytes = Buffer.from(streams[format]?.write({ pieces: [long] }) ?? '');
    const pieces = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, index) =>
      bytes.subarray(index * 65_536, (index + 1) * 65_536),
    );
    const { next, text } = report(client, format, pieces);
    expect(next).toBe('end');
    expect(text).toContain(long);
  });
});
