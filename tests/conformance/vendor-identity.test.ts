// Where both ends speak one format, a response reaches its caller with every member that the vendor's package knows, whole and as a stream.
import { describe, expect, test } from 'vitest';
import { framings } from '#server/framing/registry.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { startRawUpstream } from '#tests/support/raw-upstream.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import { samplesOf } from '#tests/support/vendor-samples.ts';
import { vendorTypes } from '#tests/support/vendor-types.ts';

type Json = Readonly<Record<string, unknown>>;

const model = 'claude-sonnet-4-5';
const text = 'When is high water in Brest?';

interface Speech {
  type: number;
  setting?: string;
  path(stream: boolean): string;
  body: Json;
  /** Fields that the gateway replaces: ids of objects in an account. */
  isOurs?: RegExp;
  /** Types of the events that a stream begins and ends with, and of those that it does not have if it ends well. */
  begins?: RegExp;
  ends: readonly string[];
  fails?: RegExp;
  /** What stands behind the last event. */
  done?: string;
}

const speeches: Readonly<Record<string, Speech>> = {
  claude: {
    type: 14,
    path: () => '/v1/messages',
    body: { model, max_tokens: 4000, messages: [{ role: 'user', content: text }] },
    isOurs: /^(?:message\.|delta\.)?container\.id$/,
    begins: /^message_start$/,
    ends: ['message_delta', 'message_stop'],
  },
  'openai-chat': {
    type: 1,
    path: () => '/v1/chat/completions',
    body: { model, messages: [{ role: 'user', content: text }], stream_options: { include_usage: true } },
    ends: [],
    done: 'data: [DONE]\n\n',
  },
  'openai-responses': {
    type: 1,
    setting: JSON.stringify({ formats: ['openai-responses'] }),
    path: () => '/v1/responses',
    body: { model, input: text, store: false },
    begins: /^response\.created$/,
    ends: ['response.completed'],
    fails: /^(?:error|response\.(?:failed|incomplete))$/,
  },
  gemini: {
    type: 24,
    path: (stream) => `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: { contents: [{ role: 'user', parts: [{ text }] }] },
    ends: [],
  },
};

describe.each(vendorTypes)('a response of $format to a caller of $format', ({ format, vendor, whole, events, spread }) => {
  const speech = speeches[format];
  if (speech === undefined) throw new Error(`How is ${format} asked?`);
  const { type, setting = '', path, body: question, isOurs, begins, ends, fails, done = '' } = speech;

  async function answered(reported: string, contentType: string, stream: boolean): Promise<string> {
    await using upstream = await startRawUpstream((response) => void response.end(reported), { type: contentType });
    const channel = { type, models: model, base_url: upstream.url, setting };
    await using scene = await createScene(embeddedEngine, { settings: { SelfUseModeEnabled: 'true' }, channels: [channel] });
    const { stream_options: options, ...body } = question;
    const requested =
      format === 'gemini' ? body : { ...body, stream, ...(stream && options !== undefined ? { stream_options: options } : {}) };
    const response = await scene.post(path(stream), requested);
    const answer = await response.text();
    expect(response.status, answer.slice(0, 500)).toBe(200);
    await scene.checkBooks();
    return answer;
  }

  test('is told with all that was said in it', async () => {
    for (const name of whole) {
      const [sample] = samplesOf(vendor, name).flatMap(spread);
      // A response with an error is one.
      const sent = isObject(sample) && 'error' in sample ? { ...sample, error: null } : sample;
      const reported: unknown = JSON.parse(await answered(JSON.stringify(sent), 'application/json', false));
      expect(changed(sent, reported), name).toEqual([]);
    }
  });

  test('is streamed with all that was said in it', async () => {
    for (const name of events) {
      const sent = inOrder(samplesOf(vendor, name).map((sample) => spread(sample)[0]));
      const lines = sent.map(
        (event) => `${typeof event['type'] === 'string' ? `event: ${event['type']}\n` : ''}data: ${JSON.stringify(event)}\n\n`,
      );
      const stream = await answered(lines.join('') + done, 'text/event-stream', true);
      const reported = [...framings.sse.events(Buffer.from(stream))]
        .filter(({ data }) => data !== '[DONE]')
        .map(({ data }): unknown => JSON.parse(data));
      expect(reported.length, name).toBe(sent.length);
      for (const [index, event] of sent.entries()) expect(changed(event, reported[index]), String(event['type'])).toEqual([]);
    }
  });

  function inOrder(samples: readonly unknown[]): Json[] {
    const typed = samples.filter(isObject).map((event) => ({ event, name: String(event['type']) }));
    const all = typed.filter(({ name }) => fails?.test(name) !== true);
    const first = all.filter(({ name }) => begins?.test(name) === true).slice(0, 1);
    const last = ends.flatMap((end) => all.find(({ name }) => name === end) ?? []);
    const rest = all.filter(({ name }) => begins?.test(name) !== true && !ends.includes(name));
    return [...first, ...rest, ...last].map(({ event }) => event);
  }

  function changed(sent: unknown, reported: unknown): string[] {
    return differences(sent, reported, '').filter((place) => isOurs?.test(place) !== true);
  }
});

function differences(sent: unknown, reported: unknown, place: string): string[] {
  if (typeof sent !== 'object' || sent === null || typeof reported !== 'object' || reported === null)
    return Object.is(sent, reported) ? [] : [place];
  const names = new Set([...Object.keys(sent), ...Object.keys(reported)]);
  return [...names].flatMap((name) =>
    differences((sent as Json)[name], (reported as Json)[name], place === '' ? name : `${place}.${name}`),
  );
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
