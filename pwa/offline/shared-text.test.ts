import { describe, expect, it } from 'vitest';
import { sharedText, walletWith } from './shared-text.ts';

function form(fields: Record<string, string>): Promise<FormData> {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return Promise.resolve(data);
}

describe('a shared text', () => {
  it('goes to the wallet in the fragment, whatever it is made of, and comes out as it went in', async () => {
    for (const text of ['0123456789abcdef0123456789abcdef', '兑换码 100% & #1 + ?', 'a\nb']) {
      const address = await walletWith(form({ text }));
      const url = new URL(address, 'https://tidegate.example');
      expect(url.pathname + url.search).toBe('/topup');
      expect(sharedText(url.hash.slice(1))).toBe(text);
    }
  });

  it('is nothing when the form is empty or cannot be read', async () => {
    expect(await walletWith(form({ text: '  ' }))).toBe('/topup');
    expect(await walletWith(Promise.reject(new TypeError('no form')))).toBe('/topup');
  });

  it('is cut where it is longer than any message with a code', async () => {
    const url = new URL(await walletWith(form({ text: 'x'.repeat(9000) })), 'https://tidegate.example');
    expect(sharedText(url.hash.slice(1))).toHaveLength(2000);
  });

  it('is not taken from other fragments, nor from a broken one', () => {
    expect(sharedText('')).toBe('');
    expect(sharedText('main')).toBe('');
    expect(sharedText('shared=%E4%')).toBe('');
  });
});
