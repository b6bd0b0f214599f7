// Every reason of the tables, in complete responses and at the end of a stream.
import { describe, expect, test } from 'vitest';
import { isObject } from '#server/framing/loose-json.ts';
import {
  chatEndings,
  claudeEndings,
  cohereEndings,
  converseEndings,
  type Endings,
  ernieEndings,
  geminiEndings,
  hunyuanEndings,
  ollamaEndings,
  responsesEndings,
} from './finish-reasons.ts';
import type { ResponsePart } from './parts.ts';
import { type UpstreamDialectName, upstreamDialects } from './registry.ts';
import type { FramedEvent } from '#server/framing/framing.ts';

interface Format {
  name: UpstreamDialectName;
  endings: Endings;
  /** A response with this reason and without content. */
  whole(word: string): Record<string, unknown>;
  events(word: string): readonly (object & { name?: string })[];
}

const incomplete = (word: string) => ({ status: 'incomplete', incomplete_details: { reason: word }, output: [] });
const choice = (word: string) => ({ choices: [{ index: 0, message: {}, delta: {}, finish_reason: word }] });
const candidate = (word: string) => ({ candidates: [{ index: 0, finishReason: word, finishMessage: 'said of it' }] });

const formats: Format[] = [
  { name: 'openai-chat', endings: chatEndings, whole: choice, events: (word) => [choice(word)] },
  {
    name: 'claude',
    endings: claudeEndings,
    whole: (word) => ({ content: [], stop_reason: word }),
    events: (word) => [{ type: 'message_delta', delta: { stop_reason: word } }],
  },
  { name: 'gemini', endings: geminiEndings, whole: candidate, events: (word) => [candidate(word)] },
  {
    name: 'converse',
    endings: converseEndings,
    whole: (word) => ({ output: { message: { content: [] } }, stopReason: word }),
    events: (word) => [{ name: 'messageStop', stopReason: word }],
  },
  {
    name: 'cohere',
    endings: cohereEndings,
    whole: (word) => ({ message: { content: [] }, finish_reason: word }),
    events: (word) => [{ type: 'message-end', delta: { finish_reason: word } }],
  },
  {
    name: 'openai-responses',
    endings: responsesEndings,
    whole: incomplete,
    events: (word) => [{ type: 'response.incomplete', response: incomplete(word) }],
  },
  {
    name: 'ollama',
    endings: ollamaEndings,
    whole: (word) => ({ message: { content: '' }, done: true, done_reason: word }),
    events: (word) => [{ message: { content: '' }, done: true, done_reason: word }],
  },
  {
    name: 'hunyuan',
    endings: hunyuanEndings,
    whole: (word) => ({ Response: { Choices: [{ Message: {}, FinishReason: word }] } }),
    events: (word) => [{ Choices: [{ Delta: {}, FinishReason: word }] }],
  },
  {
    name: 'ernie',
    endings: ernieEndings,
    whole: (word) => ({ id: 'a', result: '', is_end: true, finish_reason: word }),
    events: (word) => [{ id: 'a', result: '', is_end: true, finish_reason: word }],
  },
];

const reported = (parts: readonly ResponsePart[]) => parts.filter(({ type }) => type === 'finish' || type === 'error');

function readWhole({ name }: Format, body: Record<string, unknown>): readonly ResponsePart[] {
  const dialect = upstreamDialects[name];
  const error = dialect.readError(JSON.stringify(body), null);
  return error === null ? reported(dialect.readWhole(body, null) ?? []) : [{ type: 'error', error }];
}

function readStream({ name }: Format, events: readonly (object & { name?: string })[]): readonly ResponsePart[] {
  const reader = upstreamDialects[name].createStreamReader(null);
  return reported(
    events.flatMap(({ name: kind = '', ...event }): readonly ResponsePart[] => {
      const framed: FramedEvent = { name: kind, data: JSON.stringify(event) };
      return reader.read(framed);
    }),
  );
}

const words = formats.flatMap((format) => [...format.endings].map(([word, ending]) => ({ format, name: format.name, word, ending })));

describe('a response', () => {
  test.each(words)('of $name that ends with $word', ({ format, word, ending }) => {
    const expected = isObject(ending)
      ? { type: 'error', error: { status: ending['status'], code: word, message: expect.stringContaining(word) } }
      : { type: 'finish', reason: ending };
    expect(readWhole(format, format.whole(word))).toMatchObject([expected]);
    expect(readStream(format, format.events(word))).toMatchObject([expected]);
    for (const part of readWhole(format, format.whole(word))) expect(part).not.toHaveProperty('unknown');
  });

  test.each(formats)('of $name that ends with an unknown reason reports it', (format) => {
    for (const word of ['tide_turned', 'constructor', '__proto__']) {
      const expected = [{ type: 'finish', unknown: word }];
      expect(readWhole(format, format.whole(word))).toMatchObject(expected);
      expect(readStream(format, format.events(word))).toMatchObject(expected);
    }
  });

  test('of Gemini that ends early reports the explanation', () => {
    const gemini = formats.find(({ name }) => name === 'gemini');
    if (gemini === undefined) throw new Error('There is no such format');
    expect(readWhole(gemini, candidate('MALFORMED_FUNCTION_CALL'))).toMatchObject([
      { error: { message: expect.stringContaining('said of it') } },
    ]);
  });
});

describe('a chat completion', () => {
  const [chat] = formats;
  const read = (fields: object) => {
    if (chat === undefined) throw new Error('There is no such format');
    const body = { choices: [{ index: 0, message: {}, delta: {}, ...fields }], usage: { prompt_tokens: 9, completion_tokens: 0 } };
    const [whole, stream] = [readWhole(chat, body), readStream(chat, [body])];
    expect(whole).toMatchObject(stream);
    return whole[0];
  };

  test.each([
    [
      { finish_reason: 'error', error: { message: 'timed out', code: 504 } },
      { message: 'timed out', code: 504 },
    ],
    [{ finish_reason: null, error: { message: 'no credits', code: 402 } }, { status: 402 }],
    [
      { finish_reason: 'stop', native_finish_reason: 'network_error' },
      { status: 502, code: 'network_error' },
    ],
    [{ finish_reason: 'tool_calls', native_finish_reason: 'MALFORMED_FUNCTION_CALL' }, { code: 'MALFORMED_FUNCTION_CALL' }],
    [{ finish_reason: 'function_call_filter: MALFORMED_FUNCTION_CALL' }, { status: 502 }],
  ])('has failed: %j', (fields, error) => expect(read(fields)).toMatchObject({ type: 'error', error }));

  test('that has failed has no usage to charge', () => {
    expect(read({ finish_reason: 'error' })).not.toHaveProperty('error.usage');
  });

  test.each([
    [{ finish_reason: 'stop', native_finish_reason: 'model_length' }, 'length'],
    [{ finish_reason: 'stop', native_finish_reason: 'sensitive' }, 'content_filter'],
    [{ finish_reason: 'stop', native_finish_reason: 'end_turn' }, 'stop'],
    [{ finish_reason: 'stop', native_finish_reason: 'whatever' }, 'stop'],
    [{ finish_reason: 'tool_calls', native_finish_reason: 'STOP' }, 'tool_calls'],
    [{ finish_reason: 'content_filter: PROHIBITED_CONTENT' }, 'content_filter'],
    [{ finish_reason: 'MAX_TOKENS' }, 'length'],
    [{ finish_reason: 'tool_use' }, 'tool_calls'],
  ])('has ended: %j', (fields, reason) => {
    expect(read(fields)).toMatchObject({ type: 'finish', reason });
    expect(read(fields)).not.toHaveProperty('unknown');
  });

  test.each([null, '', 'null'])('has not ended: %j', (word) => expect(read({ finish_reason: word })).toBeUndefined());
});
