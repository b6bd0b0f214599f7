import fc from 'fast-check';
import { AppError } from '#shared/errors.ts';
import { describe, expect, it } from 'vitest';
import { JsonScan } from './json-scan.ts';

const scan = (text: string, size = Infinity) => {
  const bytes = Buffer.from(text);
  const scanner = new JsonScan();
  for (let at = 0; at < bytes.length; at += Math.min(size, bytes.length)) scanner.push(bytes.subarray(at, at + size));
  return scanner.parts;
};

function refusalOf(text: string): string | undefined {
  try {
    scan(text, 65_536);
  } catch (failure) {
    return failure instanceof AppError ? failure.code : String(failure);
  }
  return undefined;
}

/** Counted from the parsed value. */
function partsOf(value: unknown): number {
  if (typeof value === 'string') return 1;
  if (typeof value !== 'object' || value === null) return 0;
  const names = Array.isArray(value) ? [] : Object.keys(value);
  const ofNames = names.reduce((sum, name) => sum + partsOfName(Buffer.byteLength(JSON.stringify(name)) - 1), 0);
  return Object.values(value).reduce((sum: number, part: unknown) => sum + partsOf(part), 1 + ofNames);
}

/** @param bytes length as written, with the closing quote */
function partsOfName(bytes: number): number {
  return bytes > 256 ? 1 + Math.floor(bytes / 64) : 1;
}

describe('the scan of JSON', () => {
  it('counts the same in whatever pieces it comes', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('\\', '"', '{', ',', 'a', '中'), maxLength: 700 }));
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ depthSize: 'small' }, text, fc.integer(), fc.constant(null), fc.array(tie('any')), fc.dictionary(text, tie('any'))),
    })).any;
    fc.assert(
      fc.property(value, fc.integer({ min: 1, max: 300 }), (any, size) => {
        const json = JSON.stringify(any);
        expect(scan(json, size)).toBe(partsOf(JSON.parse(json)));
      }),
      { numRuns: 500 },
    );
  });

  it('refuses what expands when it is parsed, and passes long texts and lists of numbers', () => {
    expect(refusalOf(`[${'{},'.repeat(200_000)}{}]`)).toBe('body_too_complex');
    expect(refusalOf(`[${'1,'.repeat(1_100_000)}1]`)).toBe('body_too_complex');
    expect(refusalOf(`{"${'n'.repeat(7_000_000)}":1}`)).toBe('body_too_complex');
    expect(scan(`{"${'n'.repeat(255)}":"${'x'.repeat(1_000_000)}","${'n'.repeat(639)}":1}`, 65_536)).toBe(14);
    expect(refusalOf('['.repeat(101))).toBe('body_too_deep');
    expect(scan(`{"a":"${'\\"{['.repeat(500_000)}","b":[${'1,'.repeat(500_000)}1]}`, 65_536)).toBe(5);
    expect(scan(`${'['.repeat(100)}${']'.repeat(100)}`)).toBe(100);
  });
});
