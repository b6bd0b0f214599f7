// JSON with texts of megabytes, such as images and sounds: parses the rest, and leaves the texts in place.
import { endOfTextBytes } from './json-text.ts';
import type { Span } from './json-outline.ts';

export interface LiftedJson {
  /** JSON with a mark in place of each long text; `spanAt` resolves them. */
  text: string;
  spans: readonly Span[];
}

const quote = 0x22;
/** Maximum bytes of a text that is not replaced. */
const longest = 16 * 1024;
/** Maximum bytes outside long texts. */
const mostBytes = 4 * 1024 * 1024;
const textsInAStep = 20_000;
const mark = '\u0001';

/** Returns null if a text has no end, or the rest is too long. */
export function* liftLongTexts(json: Buffer): Generator<void, LiftedJson | null> {
  const stored: Buffer[] = [];
  const spans: Span[] = [];
  let from = 0;
  let texts = 0;
  for (let at = json.indexOf(quote); at >= 0;) {
    const end = endOfTextBytes(json, at + 1);
    if (end < 0) return null;
    if (end - at > longest) {
      stored.push(json.subarray(from, at + 1), Buffer.from(`\\u0001${spans.length}`));
      spans.push({ start: at + 1, end });
      from = end;
    }
    texts += 1;
    if (texts % textsInAStep === 0) yield;
    at = json.indexOf(quote, end + 1);
  }
  stored.push(json.subarray(from));
  const around = stored.reduce((sum, { length }) => sum + length, 0);
  return around > mostBytes ? null : { text: Buffer.concat(stored, around).toString('utf8'), spans };
}

/** Span of a text of the parsed JSON; undefined if the text was not replaced. */
export function spanAt(text: string, { spans }: Pick<LiftedJson, 'spans'>): Span | undefined {
  return text.startsWith(mark) ? spans[Number(text.slice(mark.length))] : undefined;
}
