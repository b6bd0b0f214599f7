import { expect, it } from 'vitest';
import { summaryOf } from './compaction.ts';

it.each([
  ['Plain words.', 'Plain words.'],
  ['Let me see. <summary>\nThe tide.\n</summary> Done.', 'The tide.'],
  ['<summary>A <summary>B</summary> C</summary>', 'A <summary>B</summary> C'],
  ['<summary>never ends', '<summary>never ends'],
  ['</summary> before <summary>', '</summary> before <summary>'],
  ['<summary> </summary>', null],
  ['', null],
])('a summary is the text in its tags, or all of it: %j', (text, summary) => {
  expect(summaryOf(text)).toBe(summary);
});

it('is read in linear time, however often a tag begins', () => {
  const text = '<summary>'.repeat(200_000);
  expect(summaryOf(text)).toBe(text);
});
