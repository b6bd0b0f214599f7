import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSeal, writeSeal } from './seal.ts';

const origin = fc.constantFrom('claude' as const, 'openai' as const, 'gemini' as const);
const data = fc.oneof(
  fc.string(),
  fc.string().map((text) => `tidegate-seal:claude:${text}`),
);

const callId = fc.string({ unit: 'grapheme' }).filter((text) => text.isWellFormed());

test("seal: every vendor's seal is read as written, in every format", () => {
  fc.assert(
    fc.property(fc.record({ origin, data, callId }, { requiredKeys: ['origin', 'data'] }), origin, (seal, own) => {
      expect(readSeal(writeSeal(seal, own), own)).toEqual(seal);
    }),
  );
});

test("seal: the seal of the format's vendor is unchanged", () => {
  expect(writeSeal({ origin: 'claude', data: 'EqQB' }, 'claude')).toBe('EqQB');
  expect(writeSeal({ origin: 'gemini', data: 'EqQB' }, 'claude')).toBe('tidegate-seal:gemini:EqQB');
  expect(readSeal('EqQB', 'openai')).toEqual({ origin: 'openai', data: 'EqQB' });
  expect(writeSeal({ origin: 'gemini', data: 'EqQB', callId: 'call_1' }, 'claude')).toBe('tidegate-seal:gemini@call_1:EqQB');
  expect(readSeal('tidegate-seal:gemini@%E0%A4%A:EqQB', 'claude')).toEqual({ origin: 'gemini', data: 'EqQB', callId: '%E0%A4%A' });
});
