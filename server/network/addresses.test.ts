import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { contains, parseAddress, parseRange } from './addresses.ts';

const ipv4 = fc.ipV4();
const ipv6 = fc.ipV6().filter((text) => parseAddress(text)?.kind() === 'ipv6');

/** Bit by bit, as RFC 4632 says it. */
function sharesBits(a: readonly number[], b: readonly number[], length: number): boolean {
  for (let bit = 0; bit < length; bit += 1) {
    const [at, mask] = [bit >> 3, 0x80 >> (bit & 7)];
    if (((a[at] ?? 0) & mask) !== ((b[at] ?? 0) & mask)) return false;
  }
  return true;
}

describe('an address', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    [' 10.0.0.1 ', '10.0.0.1'],
    ['10.0.0.1:443', '10.0.0.1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::ffff:0a00:0001', '10.0.0.1'],
    ['[::ffff:10.0.0.1]:80', '10.0.0.1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ])('%s is %s', (text, address) => expect(parseAddress(text)?.toString()).toBe(address));

  it.each([
    '',
    ' ',
    '10.1',
    '0x7f.1',
    '010.0.0.1',
    '10.0.0.256',
    '10.0.0.1.2',
    '1',
    'localhost',
    ':',
    '::g',
    '10.0.0.1/8',
    '[10.0.0.1',
    'a:b',
  ])('is not %j', (text) => expect(parseAddress(text)).toBeNull());

  test('reads what it writes, and nothing makes it throw', () => {
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6), (text) => {
        const address = parseAddress(text);
        expect(address).not.toBeNull();
        expect(parseAddress(address?.toString() ?? '')?.toByteArray()).toEqual(address?.toByteArray());
      }),
    );
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom(...'0123456789abcdef.:[]%/ x') }), (text) => void parseAddress(text)));
  });
});

describe('a range of addresses', () => {
  it.each([
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.0.0.7', '10.0.0.7', true],
    ['10.0.0.7', '10.0.0.8', false],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '10.0.0.1', false],
    ['::ffff:10.0.0.0/104', '10.200.0.1', true],
    ['::ffff:10.0.0.0/104', '11.0.0.1', false],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
  ])('%s holds %s: %s', (range, text, isInside) => {
    const address = parseAddress(text);
    expect(address !== null && contains(parseRange(range), address)).toBe(isInside);
  });

  it.each([
    '',
    '/8',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/8 ',
    '::/129',
    '::ffff:10.0.0.0/95',
    'x/8',
    '10.0.0.0/1e1',
  ])('is not %j', (text) => expect(() => parseRange(text)).toThrow('no range'));

  test('holds the addresses that share its first bits, and no other', () => {
    for (const [addresses, width] of [
      [ipv4, 32],
      [ipv6, 128],
    ] as const) {
      fc.assert(
        fc.property(addresses, addresses, fc.integer({ min: 0, max: width }), (base, text, length) => {
          const [address, from] = [parseAddress(text), parseAddress(base)];
          if (address === null || from === null) throw new Error('Both are addresses');
          const range = parseRange(`${base}/${length}`);
          expect(contains(range, address)).toBe(sharesBits(from.toByteArray(), address.toByteArray(), length));
          expect(contains(range, from)).toBe(true);
        }),
      );
    }
  });
});
