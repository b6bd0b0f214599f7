import { expect, it } from 'vitest';
import { Base64Pieces, MemberText } from './member-text.ts';

const bytes = Buffer.from(Array.from({ length: 400 }, (_none, index) => (index * 37) % 256));
const base64 = bytes.toString('base64');

function read(json: string, size: number) {
  const [text, decoded] = [new MemberText('bytes'), new Base64Pieces()];
  const found: Buffer[] = [];
  const all = Buffer.from(json);
  for (let at = 0; at < all.length; at += size) found.push(decoded.push(text.push(all.subarray(at, at + size))));
  return { text, bytes: Buffer.concat(found) };
}

it.each([1, 2, 3, 5, 7, 64, 10_000])('a text in pieces of %i bytes comes out as its bytes', (size) => {
  const json = `{"name":"日本","said":"\\"bytes\\":\\"AAAA\\"","made":[{"bytes" : "${base64}","type":"video/mp4"},{"bytes":"AAAA"}]}`;
  expect(read(json, size).bytes).toEqual(bytes);
  const escaped = base64.replaceAll('/', '\\/').replaceAll('=', '\\u003d').replaceAll('+', '\\u002B');
  expect(read(`{"bytes":"${escaped}"}`, size)).toMatchObject({ bytes, text: { hasBegun: true, isOver: true } });
});

it('a text that is not there, has no end, or comes after too much is told', () => {
  expect(read('{"name":"x","done":false}', 4).text).toMatchObject({ hasBegun: false, before: '{"name":"x","done":false}' });
  expect(read(`{"bytes":"${base64}`, 4).text).toMatchObject({ hasBegun: true, isOver: false });
  expect(read(`{"name":"${'x'.repeat(300_000)}","bytes":"AAAA"}`, 50_000)).toMatchObject({ text: { isTooLong: true, hasBegun: false } });
});
