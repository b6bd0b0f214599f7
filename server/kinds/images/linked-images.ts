// Finds image URLs in responses of OpenAI's format, for callers whose format carries bytes only.
import type { LinkedContents } from '#server/formats/linked-contents.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { listOf } from './vendor-images.ts';
import { type Body, objectsIn, textIn } from './image-format.ts';

/** Longer responses contain the images themselves. */
const longestAddresses = 1024 * 1024;

export const namedPictures: LinkedContents = (response) => {
  const reported = response.length > longestAddresses ? null : parseObject(response.toString('utf8'));
  const rows = objectsIn(reported?.data);
  const addresses = rows.flatMap((row) => (isNamed(row) ? [textIn(row, 'url') ?? ''] : []));
  if (reported === null || addresses.length === 0) return null;
  return { addresses, put: (contents) => withContents(reported, rows, contents) };
};

function isNamed(row: Body): boolean {
  return textIn(row, 'b64_json') === undefined && textIn(row, 'url') !== undefined;
}

function withContents({ data: _named, ...reported }: Body, rows: readonly Body[], contents: readonly Buffer[]): Buffer {
  const left = [...contents];
  const written = rows.map((row) => {
    const content = isNamed(row) ? left.shift() : undefined;
    if (content === undefined) return Buffer.from(JSON.stringify(row));
    const { url: _fetched, b64_json: _none, ...rest } = row;
    const members = JSON.stringify(rest).slice(1);
    const end = members === '}' ? '"}' : `",${members}`;
    return Buffer.concat([Buffer.from('{"b64_json":"'), Buffer.from(content.toString('base64'), 'latin1'), Buffer.from(end)]);
  });
  const head = JSON.stringify(reported).slice(0, -1);
  return Buffer.concat([Buffer.from(`${head}${head === '{' ? '' : ','}"data":`), ...listOf(written), Buffer.from('}')]);
}
