import { ourCode } from '#pwa/offline/shared-text.ts';

const longestCode = 200;

/** The code in a text that somebody passed on: one of ours wherever it stands, else the whole text, which may be a code itself. */
export function codeIn(text: string): string {
  const ours = ourCode.exec(text)?.[0];
  return ours ?? text.trim().slice(0, longestCode);
}
