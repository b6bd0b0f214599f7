import { expect, test } from 'vitest';
import { doneAt, mayHoldError, withoutUsage } from './stream-bytes.ts';

const event = (fields: object) => `data: ${JSON.stringify(fields)}\n\n`;
const word = (content: string, more: object = {}) => event({ choices: [{ index: 0, delta: { content } }], ...more });
const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const left = (...events: readonly string[]) => Buffer.concat([...withoutUsage(Buffer.from(events.join('')))]).toString();

test('stream-bytes: the usage chunk is cut out wherever it stands, and nothing else', () => {
  const [a, b] = [word('a', { usage: null }), word('[]', { usage: null })];
  const own = event({ choices: [], usage });
  const empty = event({ choices: [], usage: null });
  expect(left(a, b)).toBe(a + b);
  expect(left(a, b, own)).toBe(a + b);
  expect(left(own, a, b)).toBe(a + b);
  expect(left(a, own, b, empty)).toBe(a + b);
  expect(left(empty, own)).toBe('');
  expect(left(a, word('', { usage, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }))).toContain('finish_reason');
  expect(left(event({ choices: [], prompt_filter_results: [] }))).toContain('prompt_filter_results');
});

test('stream-bytes: `[DONE]` is found as the last event only', () => {
  const done = (text: string) => doneAt(Buffer.from(text));
  expect(done('data: [DONE]\n\n')).toBe(0);
  expect(done(`${word('a')}data:[DONE]\r\n\r\n`)).toBe(word('a').length);
  expect(done(`data: [DONE]\n\n${word('a')}`)).toBe(-1);
  expect(done(word('data: [DONE]'))).toBe(-1);
  expect(done('')).toBe(-1);
});

test('stream-bytes: an error near the end may be one', () => {
  expect(mayHoldError(Buffer.from(word('a') + event({ error: { message: 'no' } })))).toBe(true);
  expect(mayHoldError(Buffer.from(word('"error"')))).toBe(false);
});
