import { describe, expect, it } from 'vitest';
import { ByteOffsets } from './byte-offsets.ts';
import { Grounding, Searches } from './grounding.ts';
import { WrittenGrounding } from './written-grounding.ts';

const list = <Item>(length: number, item: (at: number) => Item) => Array.from({ length }, (_, at) => item(at));

describe('byte offsets in a text', () => {
  it.each(['a', 'é', '漢', '🌊', 'aé漢🌊'])('equal those of the decoded text: %s', (letters) => {
    const text = letters.repeat(5000);
    const places = new ByteOffsets();
    for (let at = 0; at < text.length; at += 777) places.add(text.slice(at, at + 777));
    const bytes = Buffer.from(text);
    // Only at character starts: within a character the two differ.
    for (let byte = 0; byte <= bytes.length; byte += 997 * Buffer.byteLength(letters)) {
      expect(places.letterAt(byte)).toBe(bytes.toString('utf8', 0, byte).length);
    }
    expect(places.letterAt(bytes.length + 100)).toBe(text.length);
  });
});

describe('very many searches and sources', () => {
  const grounding = new Grounding(new Searches('gemini-3-flash-preview'), 0);
  grounding.addText('z'.repeat(100_000));
  const parts = grounding.read({
    groundingMetadata: {
      webSearchQueries: list(5000, (at) => `query ${at}`),
      groundingChunks: list(5000, (at) => ({ web: { uri: `https://a.example/${at}`, title: 'a' } })),
      groundingSupports: list(5000, (at) => ({
        segment: { startIndex: at, endIndex: at + 10, text: 'z'.repeat(10) },
        groundingChunkIndices: [at],
      })),
    },
  });

  it('are all returned, their sources up to a maximum', () => {
    const results = parts.filter((part) => part.type === 'hosted_result');
    const reported = results.reduce((sum, { sources }) => sum + sources.length, 0);
    expect([results.length, reported]).toEqual([5000, 2000]);
    expect(results[0]?.sources[0]).toEqual({ url: 'https://a.example/0', title: 'a' });
  });

  it('have their ranges in the text', () => {
    const cited = parts.filter((part) => part.type === 'citation');
    expect(cited).toHaveLength(5000);
    expect(cited[4321]).toMatchObject({ url: 'https://a.example/4321', start: 4321, end: 4331 });
  });
});

it('citations that overlap do not repeat a text without bound', () => {
  const grounding = new WrittenGrounding();
  const text = 'Where the tide is high. '.repeat(1_000);
  grounding.addText(text);
  for (let index = 0; index < 500; index += 1) grounding.cite({ type: 'citation', url: 'https://a.example', start: 0, end: text.length });
  const { groundingMetadata } = grounding.written() as { groundingMetadata: { groundingSupports: { segment: { text: string } }[] } };
  const segments = groundingMetadata.groundingSupports.map(({ segment }) => segment.text.length);
  expect(segments.length).toBeGreaterThan(10);
  expect(segments.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(4 * 256 * 1024);
});
