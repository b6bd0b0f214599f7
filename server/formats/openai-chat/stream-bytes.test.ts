import { expect, test } from 'vitest';
import { mayHoldError, soundPart, withoutUsage } from './stream-bytes.ts';

const event = (fields: object) => `data: ${JSON.stringify(fields)}\n\n`;
const word = (content: string, more: object = {}) => event({ choices: [{ index: 0, delta: { content } }], ...more });
const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const left = (...events: readonly string[]) => Buffer.concat([...withoutUsage(Buffer.from(events.join('')))]).toString();

test('stream-bytes: the usage chunk is removed at any position, and nothing else', () => {
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

test('stream-bytes: `[DONE]` ends a stream at any position', () => {
  const part = (text: string) => soundPart(Buffer.from(text));
  const [a] = [word('a')];
  expect(part('data: [DONE]\n\n')).toEqual({ end: 0, next: 'done' });
  expect(part(`${a}data:[DONE]\r\n\r\n`)).toEqual({ end: a.length, next: 'done' });
  expect(part(`${a}data: [DONE]\n\n${a}`)).toEqual({ end: a.length, next: 'done' });
  expect(part(word('data: [DONE]'))).toEqual({ end: word('data: [DONE]').length, next: 'nothing' });
  expect(part('')).toEqual({ end: 0, next: 'nothing' });
  for (const done of ['[DONE]', 'data:  [DONE]', 'data: "[DONE]"', 'event: end\ndata: [DONE]']) {
    expect(part(`${a}${done}\n\n`)).toMatchObject({ next: 'done' });
  }
  // The last chunk, in the same event, is not lost.
  expect(part('data: {"a":1}\ndata: [DONE]\n\n')).toEqual({ end: 'data: {"a":1}\n'.length, next: 'done' });
});

test.each([
  ['an object', 'data: {"a":1}\n\n'],
  ['without a space', 'data:{"a":1}\n\n'],
  ['other line ends', 'data: {"a":1}\r\n\r\n'],
  ['more empty lines', 'data: {"a":1}\n\n\n'],
  ['on several lines', 'data: {\ndata: "a":1}\n\n'],
  ['with other fields', 'event: message\nid: 7\nretry: 100\ndata: {"a":1}\n\n'],
  ['a comment', ': keep-alive\n\n'],
  ['no data', 'event: ping\n\ndata:\n\n'],
  ['nothing said', 'data: null\n\ndata: ""\n\n'],
  ['a ping', 'event: ping\ndata: ping\n\n'],
  ['an unknown field', 'trace_id: abc\n\n'],
  ['blanks behind the object', 'data: {"a":1}  \n\n'],
])('stream-bytes: an event may be written as %s', (_, text) => {
  const events = word('a') + text + word('b');
  expect(soundPart(Buffer.from(events))).toEqual({ end: events.length, next: 'nothing' });
});

test.each([
  ['broken JSON', 'data: {not json\n\n'],
  ['a text', 'data: hello\n\n'],
  ['a list', 'data: [1]\n\n'],
  ['a page', '<html>\n<body>502 Bad Gateway</body></html>\n\n'],
  ['half an object', 'data: {"a":{"b":1\n\n'],
])('stream-bytes: a stream is forwarded up to its first invalid event: %s', (_, text) => {
  const [a, b] = [word('a'), word('b')];
  expect(soundPart(Buffer.from(a + text + b))).toEqual({ end: a.length, next: 'garbage' });
});

test('stream-bytes: a usage chunk and an error of any length are found', () => {
  const long = 'x'.repeat(9_000);
  expect(left(word('a'), event({ choices: [], usage, search_results: [long] }))).toBe(word('a'));
  expect(mayHoldError(Buffer.from(word('a') + event({ error: { message: long } })))).toBe(true);
});

test('stream-bytes: a possible error near the end is found', () => {
  expect(mayHoldError(Buffer.from(word('a') + event({ error: { message: 'no' } })))).toBe(true);
  expect(mayHoldError(Buffer.from(word('"error"')))).toBe(false);
});

test.each([
  ['blanks', `data:${' '.repeat(12_000_000)}x\n\n`, 'garbage'],
  ['letters', `${'a'.repeat(12_000_000)}\n\n`, 'nothing'],
  ['empty comments', `${':\n'.repeat(6_000_000)}\n`, 'nothing'],
  ['lines of data', `${'data: {}\n'.repeat(1_000_000)}\n`, 'nothing'],
])('stream-bytes: an event of many megabytes of %s is examined', (_, text, next) => {
  expect(soundPart(Buffer.from(text))).toMatchObject({ next });
});

test('stream-bytes: thousands of usage chunks are removed', () => {
  const many = `${event({ choices: [], usage })}${word('a')}`.repeat(5_000);
  expect(left(many)).toBe(word('a').repeat(5_000));
});
