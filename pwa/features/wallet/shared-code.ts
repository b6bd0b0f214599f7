const longestCode = 200;

/** The code in a text that somebody passed on: one of ours wherever it stands, else the whole text, which may be a code itself. */
export function codeIn(text: string): string {
  const ours = /(?<![0-9a-z])[0-9a-f]{32}(?![0-9a-z])/i.exec(text)?.[0];
  return ours ?? text.trim().slice(0, longestCode);
}
