import { describe, expect, it } from 'vitest';
import { sharedText, addressFor } from './shared-text.ts';

function form(fields: Record<string, string>): Promise<FormData> {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return Promise.resolve(data);
}

async function landed(fields: Record<string, string>): Promise<{ path: string; text: string }> {
  const url = new URL(await addressFor(form(fields)), 'https://tidegate.example');
  return { path: url.pathname + url.search, text: sharedText(url.hash.slice(1)) };
}

const code = '0123456789abcdef0123456789abcdef';

describe('a shared text', () => {
  it('with a code goes to the wallet, in the fragment: one of ours wherever it stands, or a single word', async () => {
    for (const text of [code, `Welcome    ${code}`, `兑换码：${code}，请尽快使用`])
      expect(await landed({ text })).toEqual({ path: '/topup', text: code });
    expect(await landed({ title: 'A message', text: code })).toEqual({ path: '/topup', text: code });
    expect(await landed({ title: 'A message', text: 'GIFT-2026' })).toEqual({ path: '/topup', text: 'GIFT-2026' });
  });

  it('without one goes to the playground, whatever it is made of, and comes out as it went in', async () => {
    for (const text of ['When does the tide turn?', '兑换码 100% & #1 + ?', 'a\nb'])
      expect(await landed({ text })).toEqual({ path: '/playground', text });
    const article = `https://news.example/${code}`;
    expect(await landed({ text: article })).toEqual({ path: '/playground', text: article });
    expect(await landed({ title: 'Spring tides', text: article })).toEqual({ path: '/playground', text: `Spring tides\n${article}` });
    expect(await landed({ title: 'Tides', url: article })).toEqual({ path: '/playground', text: `Tides\n${article}` });
  });

  it('is nothing when the form is empty or cannot be read', async () => {
    expect(await addressFor(form({ text: '  ' }))).toBe('/topup');
    expect(await addressFor(Promise.reject(new TypeError('no form')))).toBe('/topup');
  });

  it('is cut where it is longer than any message', async () => {
    expect((await landed({ text: 'x '.repeat(9000) })).text).toHaveLength(2000);
  });

  it('is not taken from other fragments, nor from a broken one', () => {
    expect(sharedText('')).toBe('');
    expect(sharedText('main')).toBe('');
    expect(sharedText('shared=%E4%')).toBe('');
  });
});
