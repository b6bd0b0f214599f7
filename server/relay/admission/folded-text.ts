/** A text as it is compared with others: letters are the same however large and wide they are, and however their marks are written. */
export function folded(text: string): string {
  return (beyondAscii.test(text) ? text.normalize('NFKC') : text).toLowerCase();
}

const beyondAscii = /[\u0080-\uFFFF]/;
