// Finds the end of a JSON text without parsing, in strings and in bytes.
const [quote, backslash] = [0x22, 0x5c];

/** Offset of the quote that ends the text starting at `from`; -1 if there is none. */
export function endOfText(json: string, from: number): number {
  for (let at = json.indexOf('"', from); at >= 0; at = json.indexOf('"', at + 1)) {
    let before = at;
    while (before > from && json.charCodeAt(before - 1) === backslash) before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return -1;
}

/** Same for bytes: one function for both types would be slow. */
export function endOfTextBytes(json: Buffer, from: number): number {
  for (let at = json.indexOf(quote, from); at >= 0; at = json.indexOf(quote, at + 1)) {
    if (!isEscapedAt(json, from, at)) return at;
  }
  return -1;
}

/**
 * Reports whether the byte at `at` of a text that starts at `from` is escaped, by an odd number of backslashes before
 * it.
 */
export function isEscapedAt(json: Buffer, from: number, at: number): boolean {
  let before = at;
  while (before > from && json[before - 1] === backslash) before -= 1;
  return (at - before) % 2 === 1;
}
