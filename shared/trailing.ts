// Trims ends of texts by a loop: a pattern such as `/\/+$/` starts again at each slash, so a text of slashes takes quadratic time.

/** The text without the characters of that set at its end. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
