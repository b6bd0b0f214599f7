import { ourCode } from '#pwa/offline/shared-text.ts';

const longestCode = 200;

/** Code in a shared text: one of ours at any position, or else the whole text, which may be a code itself. */
export function codeIn(text: string): string {
  const ours = ourCode.exec(text)?.[0];
  return ours ?? text.trim().slice(0, longestCode);
}
