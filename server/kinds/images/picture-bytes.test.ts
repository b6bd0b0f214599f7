import { expect, test } from 'vitest';
import { sizeInBytes } from './picture-bytes.ts';

function png(width: number, height: number): string {
  const bytes = Buffer.alloc(48);
  bytes.set([137, 80, 78, 71, 13, 10, 26, 10]);
  bytes.write('IHDR', 12, 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes.toString('base64');
}

test.each([
  ['', '1536x1024'],
  ['data:image/png;base64,', '1536x1024'],
])('a picture in a response is measured where it stands, with %j before it', (head, size) => {
  const event = `data: {"type":"x","size":"auto","b64_json" : "${head}${png(1536, 1024)}","quality":"auto"}`;
  expect(sizeInBytes(Buffer.from(event))).toBe(size);
});

test.each(['{"url":"https://img.example/0.png"}', '{"b64_json":"bm90IGEgcGljdHVyZQ=="}', '{"b64_json":null}', '{"b64_json"'])(
  'what has no size has none: %s',
  (json) => {
    expect(sizeInBytes(Buffer.from(json))).toBeUndefined();
  },
);
