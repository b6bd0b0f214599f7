/**
 * Folds a text for comparison: case, width and the spelling of marks make no difference. Invisible characters are dropped, and invisible
 * letters become the letters that models take them for.
 */
export function folded(text: string): string {
  return (beyondAscii.test(text) ? seen(text).replace(farMarks, '$1').normalize('NFKC') : text).toLowerCase();
}

/** The same without the escapes of JSON and of addresses, which models read through; null: it has none. */
export function unescaped(text: string): string | null {
  if (!escapes.test(text)) return null;
  return text.replace(escaped, (whole, unit: string | undefined) => {
    if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16));
    try {
      return decodeURIComponent(whole);
    } catch {
      return whole;
    }
  });
}

/** Units of an escaped text that are one of the text: `%E8%BF%9D`. */
export const mostEscapedUnits = 9;

const escapes = /\\u[\dA-Fa-f]{4}|%[\dA-Fa-f]{2}/;
/** A run of bytes, which may be one letter; of many letters, so many at a time that one of them which is none spoils few. */
const escaped =
  /\\u([\dA-Fa-f]{4})|%[0-7][\dA-Fa-f]|%[C-Dc-d][\dA-Fa-f]%[89ABab][\dA-Fa-f]|%[Ee][\dA-Fa-f](?:%[89ABab][\dA-Fa-f]){2}|%[Ff][0-7](?:%[89ABab][\dA-Fa-f]){3}/g;

/** Unicode's tags are letters without a shape: https://www.unicode.org/charts/PDF/UE0000.pdf */
function seen(text: string): string {
  if (!unseen.test(text)) return text;
  return text
    .replace(tags, (tag) => String.fromCodePoint((tag.codePointAt(0) ?? 0) - 0xe0000))
    .replace(/\p{Default_Ignorable_Code_Point}+/gu, '');
}

const unseen = /\p{Default_Ignorable_Code_Point}/u;
const tags = /[\u{E0020}-\u{E007E}]/gu;

const beyondAscii = /[\u0080-\uFFFF]/;
/** More marks than letters of any language have: putting them in order takes as long as the square of their number. Unicode's own bound, UAX 15, D3. */
const farMarks = /(?<![\p{M}\uFF9E\uFF9F])([\p{M}\uFF9E\uFF9F]{30})[\p{M}\uFF9E\uFF9F]+/gu;
