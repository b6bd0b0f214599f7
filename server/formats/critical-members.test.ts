// Members that affect cost or model must have their exact spelling: case-insensitive parsers would take `Fallbacks` for `fallbacks`, which
// was not checked.
import { expect, test } from 'vitest';
import { clientDialects, upstreamDialects } from './registry.ts';

const identities = ['openai-chat', 'claude', 'openai-responses', 'gemini'] as const;

/** No gateway with a case-insensitive parser reads this one. */
const readExactly = 'providerOptions';

test.each(identities)('fields with surcharges of %s are critical for its callers', (format) => {
  const { fields = {}, lists = {}, marks = {} } = upstreamDialects[format].surcharges ?? {};
  const requested = [...Object.keys(fields).flatMap((path) => path.split('.')), ...Object.keys(lists), ...Object.keys(marks)];
  const inMarks = Object.values(marks).flatMap((members) => Object.keys(members));
  const { names } = clientDialects[format].calls.chat;
  const missing = [...requested, ...inMarks].filter((name) => !names.exact.has(name) && name !== readExactly);
  expect(missing).toEqual([]);
});
