import ipaddr from 'ipaddr.js';
import { expect, test } from 'vitest';
import { allowedAddresses, isAddressRange } from '#shared/allowed-addresses.ts';

test('entries stand one per line or after a comma, each once', () => {
  expect(allowedAddresses(' 10.0.0.1\r\n\n2001:db8::/32, 10.0.0.1')).toEqual(['10.0.0.1', '2001:db8::/32']);
  expect(allowedAddresses(' \n')).toEqual([]);
});

const right = [
  '0.0.0.0',
  '255.255.255.255',
  '10.0.0.0/8',
  '10.0.0.0/0',
  '10.0.0.0/32',
  '::',
  '::1',
  '2001:db8::/32',
  '2001:DB8:0:0:0:0:0:1/128',
  '::ffff:10.0.0.1',
  '::ffff:10.0.0.0/104',
  '::ffff:a00:1/96',
  'fe80::1',
  '64:ff9b::10.0.0.1',
];
const wrong = [
  '10.0.0',
  '10.1',
  '0x7f.1',
  '010.0.0.1',
  '256.0.0.1',
  '10.0.0.1:80',
  '10.0.0.0/33',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '10.0.0.0/-1',
  '10.0.0.0/8 ',
  'example.com',
  'localhost',
  ':',
  ':::',
  '1::2::3',
  '12345::',
  '[::1]',
  '::1%eth0',
  '2001:db8::/129',
  '::ffff:10.0.0.0/95',
  '1:2:3:4:5:6:7:8:9',
  '::10.0.0.256',
  '/8',
  '*',
];

test.each(right)('%s is allowed, and is what the server reads', (entry) => {
  expect(isAddressRange(entry)).toBe(true);
  expect(ipaddr.isValid(entry.split('/')[0] ?? '')).toBe(true);
});

test.each(wrong)('%j is refused', (entry) => {
  expect(isAddressRange(entry)).toBe(false);
});
