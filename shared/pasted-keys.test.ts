// Keys of channels as people paste them, and files of credentials as they upload them.
import { describe, expect, it } from 'vitest';
import { keyEnding, readPastedKeys } from './pasted-keys.ts';

const openai = 1;
const texts = (pasted: string) => readPastedKeys(pasted, openai).map(({ text }) => text);
const file = { type: 'service_account', private_key_id: 'id-of-the-key-4321', private_key: '-----BEGIN\nü{"}\\\n-----END' };

describe('pasted keys', () => {
  it('stand one per line, whatever ends the lines, each once', () => {
    expect(texts('\uFEFFsk-one\r\nsk-two\n\n  sk-three \rsk-one')).toEqual(['sk-one', 'sk-two', 'sk-three']);
    expect(readPastedKeys('\n\nsk-one', openai)[0]?.line).toBe(3);
  });

  it('may be files of credentials over many lines, after each other, and on one line', () => {
    const pretty = JSON.stringify(file, null, 2);
    for (const pasted of [
      `${pretty}\n${pretty.replace('4321', '8765')}`,
      `${JSON.stringify(file)}{"private_key_id":"id-of-the-key-8765"}`,
    ]) {
      const found = readPastedKeys(pasted, openai);
      expect(found.map(({ problem }) => problem)).toEqual([undefined, undefined]);
      expect(found.map(({ text }) => keyEnding(text))).toEqual(['4321', '8765']);
      for (const { text } of found) expect(text).toMatch(/^[\x20-\x7e]+$/);
      expect(JSON.parse(found[0]?.text ?? '')).toEqual(file);
    }
  });

  it('may be a JSON array of texts and files', () => {
    expect(texts(JSON.stringify(['sk-one', file, '', 7, null]))).toEqual(['sk-one', expect.stringContaining('private_key_id')]);
  });

  it('say what is no key: a file that is cut, control characters, too long', () => {
    const cut = JSON.stringify(file, null, 2).slice(0, -10);
    for (const pasted of [cut, 'sk-\u0007one', `sk-${'x'.repeat(100_001)}`, 'sk-ключ'])
      expect(readPastedKeys(pasted, openai).map(({ problem }) => problem)).toEqual(['key_characters']);
    // What follows a cut file is read as a part of it, never as a key of its own.
    expect(readPastedKeys(`${cut}\nsk-one`, openai)).toHaveLength(1);
  });

  it('show at most a quarter of themselves, and of a pair nothing of the secret', () => {
    expect(keyEnding('sk-1234567890abcdef')).toBe('cdef');
    expect(keyEnding('short-key')).toBe('ey');
    expect(keyEnding('abc')).toBe('');
    expect(keyEnding('AKIA0123456789ID|the-secret|eu-west-1')).toBe('89ID');
    expect(keyEnding('{"private_key":"secret-text"}')).toBe('');
  });
});
