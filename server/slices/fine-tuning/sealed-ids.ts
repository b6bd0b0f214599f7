// Names of a job's events and checkpoints at its provider, sealed for that job: the same one is sealed to the same text, so that clients know
// again what they have seen, and nothing has to be kept of it.
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Secrets } from '#server/secrets/secrets.ts';

type Hashing = Pick<Secrets, 'hash'>;

const cipher = 'aes-256-ctr';
const markBytes = 16;
/** Characters of a sealed name. */
const longest = 1024;

/** @param owner what the name belongs to */
export function sealName(secrets: Hashing, owner: string, name: string): string {
  const mark = markOf(secrets, owner, name);
  const sealing = createCipheriv(cipher, keyOf(secrets, owner), mark);
  return Buffer.concat([mark, sealing.update(name, 'utf8'), sealing.final()]).toString('base64url');
}

/** Null: it was not sealed for that owner. */
export function openName(secrets: Hashing, owner: string, sealed: string): string | null {
  if (sealed.length > longest || !/^[\w-]+$/.test(sealed)) return null;
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length <= markBytes) return null;
  const mark = bytes.subarray(0, markBytes);
  const opening = createDecipheriv(cipher, keyOf(secrets, owner), mark);
  const name = Buffer.concat([opening.update(bytes.subarray(markBytes)), opening.final()]).toString('utf8');
  return markOf(secrets, owner, name).equals(mark) ? name : null;
}

function keyOf({ hash }: Hashing, owner: string): Buffer {
  return Buffer.from(hash(`names within ${owner}`), 'base64url');
}

/** It depends on the name: what was changed on its way does not fit any more. */
function markOf({ hash }: Hashing, owner: string, name: string): Buffer {
  return Buffer.from(hash(`name within ${owner}: ${name}`), 'base64url').subarray(0, markBytes);
}
