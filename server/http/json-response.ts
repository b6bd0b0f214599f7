import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const pack = promisify(gzip);
/** Minimum characters for compression. */
const worthPacking = 2048;

/** JSON response, compressed if it is long and the client accepts that. */
export async function jsonResponse(body: unknown, acceptEncoding: string | null, headers: Record<string, string>): Promise<Response> {
  const text = JSON.stringify(body);
  const common = {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    vary: headers['vary'] === undefined ? 'Accept-Encoding' : `${headers['vary']}, Accept-Encoding`,
  };
  if (text.length < worthPacking || !/\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(acceptEncoding ?? ''))
    return new Response(text, { headers: common });
  const packed = new Uint8Array(await pack(text));
  return new Response(packed, { headers: { ...common, 'content-encoding': 'gzip' } });
}
