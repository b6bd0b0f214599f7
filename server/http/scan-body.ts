// Scans a complete body like one that arrives, in pieces that do not block the event loop.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { JsonScan } from '#server/framing/json-scan.ts';
import type { RawBody } from './read-body.ts';

const pieceBytes = 256 * 1024;

/** @throws {AppError} `body_too_complex`, `body_too_deep` */
export async function scanBody(bytes: Buffer): Promise<RawBody> {
  const scan = new JsonScan();
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    if (start > 0) await nextTurn();
    scan.push(bytes.subarray(start, start + pieceBytes));
  }
  const { parts, members, hasEscapedNames } = scan;
  return { bytes, parts, members, hasEscapedNames };
}
