import { randomFillSync } from 'node:crypto';

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** The largest multiple of 62 that fits into a byte: bytes above it would favour the first letters. */
const fairBytes = 248;

/** Random characters of `0-9a-zA-Z` from the system's cryptographic source, drawn in blocks because each draw costs. */
export function createRandomText(): (count: number) => string {
  const pool = new Uint8Array(4096);
  let used = pool.length;
  return (count) => {
    let text = '';
    while (text.length < count) {
      if (used === pool.length) {
        randomFillSync(pool);
        used = 0;
      }
      const byte = pool[used] ?? 0;
      // A byte is used once: what was handed out does not stay in memory.
      pool[used] = 0;
      used += 1;
      if (byte < fairBytes) text += alphabet[byte % alphabet.length];
    }
    return text;
  };
}
