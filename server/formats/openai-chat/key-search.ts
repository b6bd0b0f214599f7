/**
 * A search for a key in its quotes: the offset behind the next one, -1 when there is none. Quotes stand everywhere in JSON, and
 * a search stops wherever its first letter is: it begins at a letter that is rarer, and looks back.
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
