import { expect, test, vi } from 'vitest';
import { textOf as textIn } from '../text-in-events.ts';
import { TextTally } from '../text-tally.ts';
import { textKeys } from './text-keys.ts';
import { UsageMeter } from './usage-meter.ts';

const chunk = (content: string) => `data: {"id":"x","choices":[{"index":0,"delta":{"content":${JSON.stringify(content)}}}]}\n\n`;
const meter = () =>
  new UsageMeter(new TextTally({ countText: (text) => Promise.resolve(text.length), estimateText: (text) => text.length }));
const textOf = (raw: string) => textIn(raw, textKeys);

test('usage-meter: the text of a short stream is counted whole', async () => {
  const watched = meter();
  for (const word of ['Hello', ' "wor\nld"', '。']) watched.push(Buffer.from(chunk(word)));
  expect(await watched.countTokens()).toBe('Hello "wor\nld"。'.length);
});

test('usage-meter: a long stream is counted whole and its last events stay readable', async () => {
  const watched = meter();
  let expected = 0;
  for (let index = 0; index < 5_000; index += 1) {
    const word = `word${index} `;
    expected += word.length;
    watched.push(Buffer.from(chunk(word)));
  }
  watched.push(Buffer.from('data: {"choices":[],"usage":{"prompt_tokens":1}}\n\ndata: [DONE]\n\n'));
  const last = watched.lastEvents();
  expect(last.at(-1)).toBe('[DONE]');
  expect(last.at(-2)).toBe('{"choices":[],"usage":{"prompt_tokens":1}}');
  expect(await watched.countTokens()).toBe(expected);
});

test('usage-meter: one event larger than the buffer is counted', async () => {
  const watched = meter();
  watched.push(Buffer.from(chunk('x'.repeat(100_000))));
  expect(await watched.countTokens()).toBe(100_000);
});

test('usage-meter: reasoning and tool calls count as text', () => {
  expect(textOf('{"delta":{"reasoning_content":"ab","tool_calls":[{"function":{"name":"f","arguments":"{\\"a\\":1}"}}]}}')).toBe(
    'abf{"a":1}',
  );
});

test('usage-meter: the usage is the last object of that name at the top of an event', () => {
  const watched = meter();
  watched.push(Buffer.from('data: {"choices":[],"usage":{"prompt_tokens":1}}\n\n'));
  watched.push(Buffer.from('data: {"choices":[{"delta":{"content":"\\"usage\\": {"}}],"usage":null}\n\n'));
  expect(watched.lastUsage()).toEqual({ value: { prompt_tokens: 1 }, hasTextAfter: true });
  watched.push(Buffer.from('data: {"choices":[],"usage": {"prompt_tokens":2}}\n\ndata: {"x_other":{"usage":{"prompt_tokens":3}}}\n\n'));
  expect(watched.lastUsage()).toEqual({ value: { prompt_tokens: 2 }, hasTextAfter: false });
});

test.each(['{"choices":[],"x_groq":{"id":"req_1","usage":{"prompt_tokens":3}}}', '{"choices":[{"delta":{},"usage":{"prompt_tokens":3}}]}'])(
  'usage-meter: a provider tells its usage in a place of its own: %s',
  (event) => {
    const watched = meter();
    watched.push(Buffer.from(`data: {"choices":[{"delta":{"content":"a"}}],"usage":null}\n\ndata: ${event}\n\n`));
    expect(watched.lastUsage()).toEqual({ value: { prompt_tokens: 3 }, hasTextAfter: false });
  },
);

test('usage-meter: a usage is found at any distance from the end, with whether text followed it', () => {
  const watched = meter();
  expect(watched.lastUsage()).toBeUndefined();
  watched.push(Buffer.from('data: {"choices":[],"usage":{"prompt_tokens":1}}\n\n'), true);
  expect(watched.lastUsage()).toEqual({ value: { prompt_tokens: 1 }, hasTextAfter: false });
  for (let index = 0; index < 500; index += 1) watched.push(Buffer.from('data: {"choices":[{"index":0,"delta":{},"usage":null}]}\n\n'));
  expect(watched.lastUsage()).toEqual({ value: { prompt_tokens: 1 }, hasTextAfter: false });
  watched.push(Buffer.from(chunk('more')));
  for (let index = 0; index < 500; index += 1) watched.push(Buffer.from('data: {"choices":[{"index":0,"delta":{}}]}\n\n'));
  expect(watched.lastUsage()).toEqual({ value: { prompt_tokens: 1 }, hasTextAfter: true });
});

test.each([5_000, 50_000])('usage-meter: usage and finish reason are found in an event of %d bytes', (size) => {
  const watched = meter();
  watched.push(Buffer.from(chunk('word')));
  const last = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: { prompt_tokens: 9 }, results: 'x'.repeat(size) };
  watched.push(Buffer.from(`data: ${JSON.stringify(last)}\n\n`));
  expect(watched.lastUsage()).toEqual({ value: { prompt_tokens: 9 }, hasTextAfter: false });
  expect(watched.hasFinished()).toBe(true);
});

test('usage-meter: a stream has finished after a finish reason without text behind it', () => {
  const end = (reason: unknown) => Buffer.from(`data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: reason }] })}\n\n`);
  const watched = meter();
  watched.push(Buffer.from(chunk('word')));
  for (const reason of [null, '']) watched.push(end(reason));
  expect(watched.hasFinished()).toBe(false);
  watched.push(end('stop'));
  for (let index = 0; index < 1_000; index += 1) watched.push(end(null));
  expect(watched.hasFinished()).toBe(true);
  watched.push(Buffer.from(chunk('the other choice')));
  expect(watched.hasFinished()).toBe(false);
  for (let index = 0; index < 1_000; index += 1) watched.push(end(null));
  expect(watched.hasFinished()).toBe(false);
});

test('usage-meter: an empty usage does not replace a meaningful one', () => {
  const said = { prompt_tokens: 5, completion_tokens: 2 };
  const watched = meter();
  watched.push(Buffer.from(`data: {"choices":[],"usage":${JSON.stringify(said)}}\n\n`));
  for (const value of [{}, { prompt_tokens: 0, completion_tokens: 0 }, '']) {
    watched.push(Buffer.from(`data: {"choices":[],"usage":${JSON.stringify(value)}}\n\n`));
    expect(watched.lastUsage()).toEqual({ value: said, hasTextAfter: false });
  }
  for (let index = 0; index < 1_000; index += 1) watched.push(Buffer.from('data: {"choices":[],"usage":{"prompt_tokens":0}}\n\n'));
  expect(watched.lastUsage()).toEqual({ value: said, hasTextAfter: false });
});

test('usage-meter: only deltas are text, not other objects with names', () => {
  const watched = meter();
  const finish = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: { prompt_tokens: 1 } };
  watched.push(Buffer.from(`data: ${JSON.stringify(finish)}\n\ndata: {"choices":[],"citations":[{"name":"a site"}]}\n\n`));
  expect(watched.lastUsage()?.hasTextAfter).toBe(false);
  expect(watched.hasFinished()).toBe(true);
});

test('usage-meter: an event with many usages is read once', () => {
  const watched = meter();
  const nested = Array.from({ length: 20_000 }, () => ({ usage: { tokens: 1 } }));
  watched.push(Buffer.from(`${chunk('word')}data: ${JSON.stringify({ choices: [], nested })}\n\n`));
  const read = vi.spyOn(JSON, 'parse');
  expect(watched.lastUsage()).toBeUndefined();
  expect(read.mock.calls.length).toBeLessThan(3);
  read.mockRestore();
});

test('usage-meter: a usage that is not an object is returned, so that it can be rejected', () => {
  for (const value of ['many', 7, [1], false]) {
    const watched = meter();
    watched.push(Buffer.from(`data: {"choices":[],"usage":${JSON.stringify(value)}}\n\n`));
    expect(watched.lastUsage()).toEqual({ value, hasTextAfter: false });
  }
});

test.each([
  ['an image', 'A'.repeat(16 * 1024 * 1024)],
  ['escapes', '\\"\\\\'.repeat(2 * 1024 * 1024)],
])('usage-meter: a text of many megabytes in one event is read: %s', async (_, letters) => {
  const watched = meter();
  watched.push(Buffer.from(`data: {"choices":[{"index":0,"delta":{"content":"${letters}"}}]}\n\n`));
  watched.push(Buffer.from('data: {"choices":[],"usage":{"prompt_tokens":1}}\n\n'));
  expect(watched.lastUsage()).toEqual({ value: { prompt_tokens: 1 }, hasTextAfter: false });
  expect(await watched.countTokens()).toBe(JSON.parse(`"${letters}"`).length);
});

test('usage-meter: blanks, missing ends and keys without a value are not text', () => {
  expect(textOf(`"content"${' '.repeat(4_000_000)}"content" :\n "a"`)).toBe('a');
  expect(textOf('"content":"never ends')).toBe('');
  expect(textOf('"content":null,"text":"b","name" "c"')).toBe('b');
  expect(textOf('"content":"a\\\\","text":"\\"b\\""')).toBe('a\\"b"');
});

test('usage-meter: text after thousands of empty usages is searched for once', () => {
  const watched = meter();
  const empty = 'data: {"choices":[{"delta":{}}],"usage":{}}\n\n';
  watched.push(Buffer.from(empty.repeat(4_000)), true);
  const read = vi.spyOn(Buffer.prototype, 'includes');
  expect(watched.lastUsage()).toEqual({ value: {}, hasTextAfter: false });
  expect(read.mock.calls.length).toBeLessThan(3);
  read.mockRestore();
});
