import { expect, test } from 'vitest';
import { addressesIn } from './addresses-in.ts';

test('addresses in: a list as mail programs copy it', () => {
  expect(addressesIn('Lin Wei <Lin@Example.com>, maya@example.com;\n lin@example.com\n\n')).toEqual({
    addresses: ['lin@example.com', 'maya@example.com'],
    wrong: [],
  });
  expect(addressesIn('maya@example.com\nnobody')).toEqual({ addresses: ['maya@example.com'], wrong: ['nobody'] });
});
