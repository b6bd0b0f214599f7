// Token estimates of images by size: an estimate that is too low lets a caller spend more than reserved.
import { describe, expect, it, test } from 'vitest';
import { clientDialects } from './registry.ts';
import { pictureWorth } from './picture-cost.ts';
import { pictureSize } from './picture-size.ts';

function png(width: number, height: number): string {
  const bytes = Buffer.alloc(64);
  bytes.write('\u0089PNG\r\n\u001A\n\0\0\0\rIHDR', 0, 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes.toString('base64');
}

/** A JPEG with that many metadata bytes before its frame. */
function jpeg(width: number, height: number, notes = 20_000): string {
  const note = Buffer.alloc(notes + 2, 7);
  note.writeUInt16BE(0xff_e1, 0);
  note.writeUInt16BE(notes, 2);
  const frame = Buffer.from([0xff, 0xc2, 0, 17, 8, height >> 8, height & 255, width >> 8, width & 255, 3, 0, 0, 0, 0, 0]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), note, Buffer.from([0xff, 0xc4, 0, 4, 0, 0]), frame]).toString('base64');
}

const riff = (kind: string, rest: number[]) =>
  Buffer.concat([Buffer.from(`RIFF\0\0\0\0WEBP${kind}`, 'latin1'), Buffer.from(rest), Buffer.alloc(20)]).toString('base64');
const zeros = (count: number) => Array.from({ length: count }, () => 0);

describe('the size of a picture is read', () => {
  it.each([
    ['PNG', png(1024, 600), { width: 1024, height: 600 }],
    ['JPEG', jpeg(4032, 3024), { width: 4032, height: 3024 }],
    [
      'GIF',
      Buffer.concat([Buffer.from('GIF89a'), Buffer.from([0, 2, 44, 1]), Buffer.alloc(20)]).toString('base64'),
      { width: 512, height: 300 },
    ],
    ['WebP with room for more', riff('VP8X', [...zeros(8), 255, 3, 0, 87, 2, 0]), { width: 1024, height: 600 }],
    ['plain WebP', riff('VP8 ', [...zeros(10), 0, 4, 88, 2]), { width: 1024, height: 600 }],
    ['lossless WebP', riff('VP8L', [...zeros(4), 0x2f, 255, 195, 149, 0]), { width: 1024, height: 600 }],
  ])('%s', (_name, data, size) => expect(pictureSize(data)).toEqual(size));

  it.each([
    ['nothing', ''],
    ['no picture', Buffer.alloc(100, 'a').toString('base64')],
    ['no base64', '~'.repeat(400)],
    ['a picture without a side', png(0, 10)],
    ['one whose frame comes too late', jpeg(10, 10, 65_000).slice(0, 40_000)],
  ])('not of %s', (_name, data) => expect(pictureSize(data)).toBeNull());
});

const url = (data: string) => `data:image/png;base64,${data}`;

test.each([
  ['gpt-4o', png(1024, 1024), 765],
  ['gpt-4o', png(2048, 4096), 1105],
  ['gpt-4o', png(100, 100), 255],
  ['gpt-4o', png(512, 513), 425],
  ['gpt-4o', png(100_000, 100_000), 765],
  ['gpt-4o', jpeg(10_000, 3_000), 1445],
  ['gpt-4o-mini', png(1024, 1024), 2833 + 4 * 5667],
])('an image for %s has the tokens that its vendor documents', (model, data, tokens) => {
  expect(pictureWorth(model, { url: url(data), detail: 'high' })).toEqual({ guess: tokens, most: tokens });
});

test('an image of unknown size or other pricing is estimated as before, and the maximum is reserved', () => {
  const far = { url: 'https://pictures.example/a.png', detail: undefined };
  expect(pictureWorth('gpt-4o', far)).toEqual({ guess: 255, most: 1445 });
  expect(pictureWorth('gpt-4o-mini', far)).toEqual({ guess: 8499, most: 2833 + 8 * 5667 });
  expect(pictureWorth('gpt-5.5', far)).toEqual({ guess: 255, most: 15_000 });
  expect(pictureWorth('gpt-5.5', { url: url(png(1024, 1024)), detail: 'auto' })).toEqual({ guess: 765, most: 2520 });
  expect(pictureWorth('gpt-5.5', { url: url(png(9_000, 9_000)), detail: 'original' })).toEqual({ guess: 765, most: 15_000 });
  expect(pictureWorth('claude-opus-4-7', { url: url(png(4_000, 4_000)), detail: 'high' })).toEqual({ guess: 255, most: 15_000 });
  expect(pictureWorth('gpt-4o-mini', { url: url(png(4_000, 4_000)), detail: 'low' })).toEqual({ guess: 85, most: 2833 });
});

test('low detail reduces the reservation only for models that support it', () => {
  const low = { url: url(png(4_000, 4_000)), detail: 'low' };
  expect(pictureWorth('gpt-4o', low)).toEqual({ guess: 85, most: 85 });
  expect(pictureWorth('gpt-5.5', low)).toEqual({ guess: 85, most: 630 });
  for (const model of ['claude-opus-4-7', 'gemini-3.8-flash', 'llava', 'glm-5v'])
    expect(pictureWorth(model, low)).toEqual({ guess: 85, most: 15_000 });
});

test('callers of chat and of Responses have the same pictures', () => {
  const { 'openai-chat': chat, 'openai-responses': responses } = clientDialects;
  const data = url(png(1024, 1024));
  const one = chat.calls.chat.promptContent(
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: data } }] }] },
    'gpt-5.5',
  );
  const other = responses.calls.chat.promptContent(
    { input: [{ role: 'user', content: [{ type: 'input_image', image_url: data }] }] },
    'gpt-5.5',
  );
  for (const { media, mediaMost } of [one, other]) expect([media, mediaMost]).toEqual([765, 2520]);
});
