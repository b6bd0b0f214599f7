/**
 * Searches a quoted key: returns the offset after the next one, or -1. Quotes are frequent in JSON and slow a search down, so it looks for
 * a rarer letter and compares backwards.
 */
export function keySearch(name: string, rare: string): (bytes: Buffer, from: number) => number {
  const key = Buffer.from(`"${name}"`);
  const skipped = key.indexOf(rare);
  const rest = key.subarray(skipped);
  return (bytes, from) => {
    for (let at = bytes.indexOf(rest, from); at >= 0; at = bytes.indexOf(rest, at + 1)) {
      const start = at - skipped;
      if (start >= from && bytes.compare(key, 0, skipped, start, at) === 0) return at + rest.length;
    }
    return -1;
  };
}
