import { expect, test } from 'vitest';
import { isReadApart } from './check-session-request.ts';
import { bytesPerSecond, SessionContext } from './session-context.ts';

const little = { text: 10, audio: 0, image: 0 };

test.each([
  [false, 10],
  [true, 5_000],
])('the input tokens of a response are the size of the conversation, unless it may have read other input (%s)', (isApart, text) => {
  const context = new SessionContext('gpt-realtime');
  context.add({ text: 5_000, audio: 0, image: 0 });
  if (isApart) context.readsApart();
  context.settled(little, context.mark());
  expect(context.size).toEqual({ text, audio: 0, image: 0 });
});

test.each([
  [{}, false],
  [{ conversation: 'auto', max_output_tokens: 16 }, false],
  [{ conversation: 'none' }, true],
  [{ input: [] }, true],
  [{ instructions: 'short' }, true],
  [{ tools: [] }, true],
  [undefined, false],
])('responses with input outside the conversation: %j', (response, isApart) => {
  expect(isReadApart(response)).toBe(isApart);
});

test('speech has all audio since it began, also if sent in one event', () => {
  const context = new SessionContext('gpt-realtime');
  context.addAudio(100);
  context.committed();
  context.addAudio(600);
  expect(context.bufferedSeconds).toBe(30);
  context.speaks(110);
  expect(context.bufferedSeconds).toBe(590);
});

test.each([
  ['pcm16', 48_000],
  ['audio/pcm', 48_000],
  ['audio/pcm;rate=8000', 16_000],
  ['audio/pcmu', 8_000],
  ['audio/pcm;rate=0', 48_000],
])('a second of %s has %i bytes', (format, bytes) => {
  expect(bytesPerSecond(format)).toBe(bytes);
});

test('items of tools at the provider are counted once, when they have content', () => {
  const context = new SessionContext('gpt-realtime');
  expect(context.addRun('mcpl_1', { text: 8, audio: 0, image: 0 })).toBe(true);
  expect(context.addRun('mcpl_1', { text: 900, audio: 0, image: 0 })).toBe(true);
  expect(context.addRun('mcpl_1', { text: 900, audio: 0, image: 0 })).toBe(false);
  expect(context.size).toEqual({ text: 900, audio: 0, image: 0 });
});
