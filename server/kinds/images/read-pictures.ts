// Reads a provider's whole image response: rows with bytes, or with URLs.
import type { DecodeInput } from '#server/formats/decoded-whole.ts';
import { reportedCost } from '#server/formats/reported-cost.ts';
import type { ErrorInResponse } from '#server/formats/stream-pipe.ts';
import type { Body } from '#server/framing/strict-fields.ts';
import { outlineOf, type Span } from '#server/framing/json-outline.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import { readPictureUsage } from './picture-usage.ts';

export interface Pictures {
  /** All members except the images. */
  reported: Body;
  /** Positions of the images in the body. */
  rows: readonly Span[];
  /** Null if none was reported. */
  usage: TokenUsage | null;
  /** Cost in US dollars reported by the provider, also without tokens; undefined if not reported. */
  cost: number | undefined;
}

/** @param listed member that holds the images */
export function* readPictures(input: DecodeInput, listed: string): Generator<void, Pictures | { error: ErrorInResponse | null }> {
  const outline = yield* outlineOf(input.body, listed);
  if (outline === null || outline.isDeep) return { error: null };
  const error = input.route.dialect.readError(outline.text, input.route.provider);
  if (error !== null) return { error };
  const reported = parseObject(outline.text);
  if (reported === null || !Array.isArray(reported[listed])) return { error: null };
  const usage = readPictureUsage(reported.usage, reported.svg_usage);
  if (usage === undefined || outline.rows.some((row) => input.body[row.start] !== brace)) return { error: null };
  return { reported, rows: outline.rows, usage, cost: reportedCost(reported.usage) };
}

const brace = 0x7b;
const [lineFeed, carriageReturn, blank] = [0x0a, 0x0d, 0x20];

/** Puts an image on one line; line breaks occur only between members. */
export function onOneLine(body: Buffer, { start, end }: Span): Buffer {
  const row = Buffer.from(body.subarray(start, end));
  for (const mark of [lineFeed, carriageReturn]) for (let at = row.indexOf(mark); at >= 0; at = row.indexOf(mark, at)) row[at] = blank;
  return row;
}
