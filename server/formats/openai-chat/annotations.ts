// Where an answer comes from, as chat completions tell it.
import type { FoundPage, ResponsePart } from '../parts.ts';
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

/** What a search has found, beside the choices, as Perplexity's chat completions told it. https://docs.perplexity.ai/api-reference/sonar-post */
export function foundIn(pages: readonly FoundPage[]): Record<string, unknown> {
  return { citations: pages.map(({ url }) => url), search_results: pages };
}
