import { expect, test } from 'vitest';
import { createRefusedFields } from './refused-fields.ts';

test('refused fields: a field that a model rejected is omitted from its requests for an hour', () => {
  let time = 1000;
  const refused = createRefusedFields(() => time);
  refused.note('a', 'stream_format');
  expect([...refused.of('a')]).toEqual(['stream_format']);
  expect([...refused.of('b')]).toEqual([]);
  time += 3_600_000;
  expect([...refused.of('a')]).toEqual([]);
});

test('refused fields: the number of models is limited, because callers choose their names', () => {
  const refused = createRefusedFields(() => 0);
  for (let index = 0; index < 1000; index += 1) refused.note(`model ${index}`, 'stream_format');
  const known = Array.from({ length: 1000 }, (_model, index) => refused.of(`model ${index}`).size).filter((size) => size > 0);
  expect(known.length).toBeLessThanOrEqual(100);
  expect(refused.of('model 999').size).toBe(1);
});
