/** A text as it is compared with others: letters are the same however large and wide they are, and however their marks are written. */
export function folded(text: string): string {
  return (beyondAscii.test(text) ? text.replace(farMarks, '$1').normalize('NFKC') : text).toLowerCase();
}

const beyondAscii = /[\u0080-\uFFFF]/;
/** More marks than letters of any language have: putting them in order takes as long as the square of their number. Unicode's own bound, UAX 15, D3. */
const farMarks = /(?<![\p{M}\uFF9E\uFF9F])([\p{M}\uFF9E\uFF9F]{30})[\p{M}\uFF9E\uFF9F]+/gu;
