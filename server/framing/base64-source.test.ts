import { expect, test } from 'vitest';
import { base64Of } from './base64-source.ts';
import { sourceOf } from './byte-source.ts';

test('any part of it is that part of the whole', async () => {
  for (const size of [0, 1, 2, 3, 10, 31]) {
    const bytes = Buffer.from(Array.from({ length: size }, (_, index) => (index * 37) % 256));
    const source = base64Of(sourceOf(bytes));
    const whole = bytes.toString('base64');
    expect(source.size).toBe(whole.length);
    for (let from = 0; from <= whole.length; from += 1)
      for (let to = from; to <= whole.length; to += 1) expect((await source.read(from, to)).toString()).toBe(whole.slice(from, to));
  }
});
