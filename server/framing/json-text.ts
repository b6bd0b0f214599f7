// Where a text of JSON ends: what every look at JSON that does not parse it has to know, in letters and in bytes.
const [quote, backslash] = [0x22, 0x5c];

/** Offset of the quote that ends the text whose letters begin at `from`; -1 when none does. */
export function endOfText(json: string, from: number): number {
  for (let at = json.indexOf('"', from); at >= 0; at = json.indexOf('"', at + 1)) {
    let before = at;
    while (before > from && json.charCodeAt(before - 1) === backslash) before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return -1;
}

/** The same of bytes: two functions, because one for both would be slow for both. */
export function endOfTextBytes(json: Buffer, from: number): number {
  for (let at = json.indexOf(quote, from); at >= 0; at = json.indexOf(quote, at + 1)) {
    if (!isEscapedAt(json, from, at)) return at;
  }
  return -1;
}

/** Whether the byte at `at` of a text that goes on at `from` is escaped: an odd number of backslashes stands before it. */
export function isEscapedAt(json: Buffer, from: number, at: number): boolean {
  let before = at;
  while (before > from && json[before - 1] === backslash) before -= 1;
  return (at - before) % 2 === 1;
}
