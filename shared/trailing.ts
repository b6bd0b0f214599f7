// Ends of texts, by a loop: a pattern such as `/\/+$/` looks at every slash again for each slash, which in a text that somebody typed is
// time for as many as its length, squared.

/** The text without the characters of that set at its end. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
