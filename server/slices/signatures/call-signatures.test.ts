import { expect, test } from 'vitest';
import type { Seal } from '#server/formats/seal.ts';
import { createCallSignatures } from './call-signatures.ts';

const kibibyte = 1024;
const sealOf = (text: string): Seal => ({ origin: 'gemini', data: text });
/** Takes 4 KiB and its entry. */
const large = (name: string) => sealOf(name.padEnd(2 * kibibyte, '.'));

function memory(most?: { all: number; perOwner: number }) {
  const clock = { now: 1_800_000_000_000 };
  return { clock, signatures: createCallSignatures({ now: () => clock.now }, most) };
}

test('signatures: found by whoever got them, and by nobody else', () => {
  const { signatures } = memory();
  signatures.of(1).note('call_a', sealOf('one'));
  signatures.of(2).note('call_a', sealOf('two'));
  expect([1, 2, 3].map((userId) => signatures.of(userId).find('call_a'))).toEqual([sealOf('one'), sealOf('two'), undefined]);
  expect(signatures.of(1).find('call_b')).toBeUndefined();
});

test('signatures: an id that was given to several calls finds nothing any more', () => {
  const { signatures } = memory();
  const own = signatures.of(1);
  own.note('call_0', sealOf('one'));
  own.note('call_0', sealOf('one'));
  expect(own.find('call_0')).toEqual(sealOf('one'));
  own.note('call_0', sealOf('two'));
  expect(own.find('call_0')).toBeUndefined();
  own.note('call_0', sealOf('one'));
  expect(own.find('call_0')).toBeUndefined();
});

test('signatures: forgotten some hours after their call was spoken of last, and what they took is free', () => {
  const { signatures, clock } = memory();
  const hour = 3_600_000;
  signatures.of(1).note('old', sealOf('one'));
  signatures.of(1).note('used', sealOf('two'));
  clock.now += 5 * hour;
  expect(signatures.of(1).find('used')).toEqual(sealOf('two'));
  clock.now += 2 * hour;
  expect(signatures.of(1).find('old')).toBeUndefined();
  expect(signatures.of(1).find('used')).toEqual(sealOf('two'));
  clock.now += 7 * hour;
  const before = signatures.bytes;
  signatures.of(2).note('new', sealOf('six'));
  // The signatures of the first user were not used since.
  expect(signatures.bytes).toBeLessThan(before);
  expect(signatures.of(1).find('used')).toBeUndefined();
});

test('signatures: what is longer than any is not kept, nor under an id that no vendor gives', () => {
  const { signatures } = memory();
  const own = signatures.of(1);
  own.note('long', sealOf('s'.repeat(kibibyte * kibibyte)));
  own.note('i'.repeat(kibibyte), sealOf('one'));
  own.note('', sealOf('one'));
  expect(signatures.bytes).toBe(0);
  expect(['long', 'i'.repeat(kibibyte), ''].map((id) => own.find(id))).toEqual([undefined, undefined, undefined]);
});

test('signatures: a user who fills his share loses his oldest, and nobody else loses anything', () => {
  const most = { all: 1024 * kibibyte, perOwner: 64 * kibibyte };
  const { signatures } = memory(most);
  signatures.of(2).note('call_0', sealOf('of another'));
  for (let index = 0; index < 1000; index += 1) signatures.of(1).note(`call_${index}`, large(`${index}`));
  expect(signatures.bytes).toBeLessThanOrEqual(2 * most.perOwner);
  const stored = Array.from({ length: 1000 }, (_, index) => index).filter((index) => signatures.of(1).find(`call_${index}`) !== undefined);
  expect(stored.length).toBeGreaterThan(8);
  expect(stored).toEqual(Array.from(stored, (_, index) => 1000 - stored.length + index));
  expect(signatures.of(2).find('call_0')).toEqual(sealOf('of another'));
});

test('signatures: users who fill all there is push out one another, not those who have little', () => {
  const most = { all: 256 * kibibyte, perOwner: 64 * kibibyte };
  const { signatures } = memory(most);
  signatures.of(0).note('call', sealOf('of a quiet user'));
  for (let index = 0; index < 40; index += 1) {
    for (let userId = 1; userId <= 20; userId += 1) {
      signatures.of(userId).note(`call_${index}`, large(`${userId} ${index}`));
      expect(signatures.bytes).toBeLessThanOrEqual(most.all);
    }
  }
  expect(signatures.of(0).find('call')).toEqual(sealOf('of a quiet user'));
  expect(signatures.of(20).find('call_39')).toEqual(large('20 39'));
});

test('signatures: however many users there are, and however little each has, all stay within the bound', () => {
  const most = { all: 256 * kibibyte, perOwner: 64 * kibibyte };
  const { signatures } = memory(most);
  for (let userId = 0; userId < 2000; userId += 1) {
    signatures.of(userId).note('call', sealOf(`${userId}`));
    expect(signatures.bytes).toBeLessThanOrEqual(most.all);
  }
  const stored = Array.from({ length: 2000 }, (_, userId) => userId).filter((userId) => signatures.of(userId).find('call') !== undefined);
  expect(stored.at(-1)).toBe(1999);
  expect(stored.length).toBeGreaterThan(40);
});
