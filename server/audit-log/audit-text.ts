// Texts of the audit log: bounded, and without characters that could make one entry look like another.

/** Line breaks and other control characters, and those that change the direction of what follows. */
const deceptive = /[\p{Cc}\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

export const longestName = 120;
export const longestValue = 500;

/** One line of at most so many characters. */
export function auditText(text: string, longest: number = longestValue): string {
  // Cut first: the pattern is not run over a megabyte.
  const whole = text
    .slice(0, longest * 2)
    .toWellFormed()
    .replace(deceptive, ' ')
    .trim();
  const characters = Array.from(whole);
  return characters.length > longest || text.length > longest * 2 ? `${characters.slice(0, longest).join('')}…` : whole;
}
