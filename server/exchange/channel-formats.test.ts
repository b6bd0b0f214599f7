import { expect, test } from 'vitest';
import { foreignFormat, formatsOfType } from '#shared/channel-formats.ts';
import { providers } from '#server/providers/registry.ts';

test('the console knows the formats of every type', () => {
  const known = Object.fromEntries(providers.map(({ type }) => [type, [...formatsOfType(type)].toSorted()]));
  expect(known).toEqual(Object.fromEntries(providers.map(({ type, formats }) => [type, Object.keys(formats).toSorted()])));
});

test('finds formats that the type does not have, whatever else the setting contains', () => {
  expect(foreignFormat(14, '{"formats":["claude","openai-chat"]}')).toBe('openai-chat');
  expect(foreignFormat(1, '{"formats":["openai-responses"],"proxy":""}')).toBeUndefined();
  for (const setting of ['', '{', '{"formats":"claude"}', '[]', 'null', '{"formats":null}'])
    expect(foreignFormat(1, setting)).toBeUndefined();
});
