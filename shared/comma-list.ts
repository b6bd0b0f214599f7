/** The entries of a comma list, without blanks around them, empty ones and repetitions. */
export function commaList(text: string): string[] {
  const entries = text.split(',').map((entry) => entry.trim());
  return [...new Set(entries.filter((entry) => entry !== ''))];
}
