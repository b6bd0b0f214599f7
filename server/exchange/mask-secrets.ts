// Masks addresses and keys in upstream texts that are shown to people who did not configure the channel.
import { withoutTrailing } from '#shared/trailing.ts';

const url = /\b([a-z][a-z0-9+.-]{1,15}):\/\/[^\s"'<>()[\]{}，。；、）」]+/gi;
const ipv4 = /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?(?![\w.]*\w)/g;
// Bracketed, in full, or shortened by `::`; a time such as 12:30:45 does not match.
const ipv6 =
  /\[[0-9a-f]*:[0-9a-f:.]*:[0-9a-f.]*\](?::\d{1,5})?|(?<![\w:])(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}(?![\w:])|(?<![\w:])(?:[0-9a-f]{1,4}:){1,6}(?::[0-9a-f]{1,4}){1,6}(?![\w:])/gi;
const bearer = /\b(Bearer|Basic)\s+[\w.~+/*-]{6,}=*/gi;
const prefixedKey = /(?<![\w-])(sk|pk|rk|ak|gsk|xai|hf|r8|pplx|nvapi|tvly|fw|bce-v3)([-_/])[\w.*/-]{6,}/g;
const knownKey = /(?<!\w)(?:AIza[\w-]{20,}|A[KS]IA[A-Z0-9]{12,}|eyJ[\w-]{8,2000}\.[\w-]{8,}(?:\.[\w-]+)?)/g;
// Unbroken run of letters and digits too long for a word, model name or sentence.
const longRun = /(?<![\w-])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{32,}(?:\.[A-Za-z0-9]+)?/g;
// Account ids in xAI's refusals.
const accountId = /\b(Team|API key ID): [\w-]{6,}/g;

export interface KnownSecrets {
  /** The channel's key, in case its format is not recognized. */
  key?: string;
  /** The channel's host, which may appear without a scheme. */
  host?: string;
}

/** Masks URLs, addresses and key-like parts. Ordinary words such as "http" stay. */
export function maskSecrets(text: string, known: KnownSecrets = {}): string {
  let masked = text;
  if (known.key !== undefined && known.key.length >= 8) masked = masked.replaceAll(known.key, '***');
  masked = masked
    .replace(url, (whole, scheme: string) => `${scheme}://***${whole.slice(withoutTrailing(whole, '.,:;!?').length)}`)
    .replace(bearer, '$1 ***')
    .replace(knownKey, '***')
    .replace(prefixedKey, '$1$2***')
    .replace(longRun, '***')
    .replace(accountId, '$1: ***')
    .replace(ipv6, '***')
    .replace(ipv4, '***');
  return known.host === undefined || known.host === '' ? masked : masked.replaceAll(known.host, '***');
}
