import { describe, expect, it } from 'vitest';
import { codeIn } from './shared-code.ts';

const code = '0123456789abcdef0123456789abcdef';

describe('the code in a text', () => {
  it('is found wherever it stands', () => {
    for (const text of [code, ` ${code}\n`, `Welcome    ${code}`, `Your code: ${code}. Enjoy!`, `兑换码：${code}，请尽快使用`]) {
      expect(codeIn(text)).toBe(code);
    }
  });

  it('is no part of a longer word', () => {
    expect(codeIn(`x${code}`)).toBe(`x${code}`);
    expect(codeIn(`${code}00`)).toBe(`${code}00`);
  });

  it('of another kind is the text itself, as long as the field takes', () => {
    expect(codeIn('  GIFT-2026 ')).toBe('GIFT-2026');
    expect(codeIn('y'.repeat(500))).toHaveLength(200);
  });
});
