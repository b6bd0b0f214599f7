// JSON with texts of megabytes in it, as pictures and sounds are told: what stands around them is parsed, and they stay where they are.
import { endOfTextBytes } from './json-text.ts';
import type { Span } from './json-outline.ts';

export interface LiftedJson {
  /** With a mark in the place of each long text; `spanAt` knows them. */
  text: string;
  spans: readonly Span[];
}

const quote = 0x22;
/** Bytes of the longest text that is told as it is. */
const longest = 16 * 1024;
/** Of what stands around long texts. */
const mostBytes = 4 * 1024 * 1024;
const textsInAStep = 20_000;
const mark = '\u0001';

/** Null: a text in it has no end, or there is too much around the long ones. */
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

/** Where a text of the parsed JSON is; undefined: it is itself. */
export function spanAt(text: string, { spans }: Pick<LiftedJson, 'spans'>): Span | undefined {
  return text.startsWith(mark) ? spans[Number(text.slice(mark.length))] : undefined;
}
