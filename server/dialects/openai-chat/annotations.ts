// Where an answer comes from, as chat completions tell it.
import type { ResponsePart } from '../parts.ts';
import type { TextOffsets } from '../text-offsets.ts';

/** What is about no text in particular stands at its end. */
export function citationOf(
  { url, title = url, start, end }: Extract<ResponsePart, { type: 'citation' }>,
  offsets: TextOffsets,
): Record<string, unknown> {
  const last = offsets.at(offsets.length, true);
  const range = {
    start_index: start === undefined ? last : offsets.at(start, false),
    end_index: end === undefined ? last : offsets.at(end, true),
  };
  return { type: 'url_citation', url_citation: { ...range, title, url } };
}
