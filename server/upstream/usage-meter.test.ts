import { expect, test } from 'vitest';
import { UsageMeter, textOf } from '#server/upstream/usage-meter.ts';

const chunk = (content: string) => `data: {"id":"x","choices":[{"index":0,"delta":{"content":${JSON.stringify(content)}}}]}\n\n`;
const meter = () => new UsageMeter({ countText: (text) => Promise.resolve(text.length) });

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
  expect(watched.lastUsage()).toEqual({ value: { prompt_tokens: 1 }, eventsAfter: 1 });
  watched.push(Buffer.from('data: {"choices":[],"usage": {"prompt_tokens":2}}\n\ndata: {"x_groq":{"usage":{"prompt_tokens":3}}}\n\n'));
  expect(watched.lastUsage()).toEqual({ value: { prompt_tokens: 2 }, eventsAfter: 1 });
});

test('usage-meter: a usage far behind is none, and a stream without any has none', () => {
  const watched = meter();
  expect(watched.lastUsage()).toBeUndefined();
  watched.push(Buffer.from('data: {"choices":[],"usage":{"prompt_tokens":1}}\n\n'), true);
  expect(watched.lastUsage()).toEqual({ value: { prompt_tokens: 1 }, eventsAfter: 0 });
  for (let index = 0; index < 5; index += 1) watched.push(Buffer.from(chunk(`word${index}`)));
  expect(watched.lastUsage()).toEqual({ value: { prompt_tokens: 1 }, eventsAfter: 5 });
  watched.push(Buffer.from(chunk('more')));
  expect(watched.lastUsage()).toBeUndefined();
});

test('usage-meter: a usage that is no object is found, so that it can be refused', () => {
  for (const value of ['many', 7, [1], false]) {
    const watched = meter();
    watched.push(Buffer.from(`data: {"choices":[],"usage":${JSON.stringify(value)}}\n\n`));
    expect(watched.lastUsage()).toEqual({ value, eventsAfter: 0 });
  }
});
