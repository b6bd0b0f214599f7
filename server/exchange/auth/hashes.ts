// Hashes for signatures.
import { createHash, createHmac } from 'node:crypto';
import { PiecedBody } from '#server/framing/byte-source.ts';
import type { SendRequest } from '#server/exchange/send.ts';

/** SHA-256 in hex. Returns a promise only for a body read in pieces. */
export function hashOf(body: SendRequest['body']): string | Promise<string> {
  return body instanceof PiecedBody ? hashOfPieces(body) : sha256(body ?? '');
}

async function hashOfPieces(body: PiecedBody): Promise<string> {
  const hash = createHash('sha256');
  const open = body.open();
  try {
    for await (const piece of open) hash.update(piece);
  } finally {
    open.close();
  }
  return hash.digest('hex');
}

export function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

export function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
