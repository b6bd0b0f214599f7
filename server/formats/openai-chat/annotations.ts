// Citations in chat completions.
import type { FoundPage, ResponsePart } from '../parts.ts';
import type { TextOffsets } from '../text-offsets.ts';

/** Returns a citation of this format; one without a range is placed at the end of the text. */
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

/** Returns search results as members outside the choices, as in Perplexity's chat completions. https://docs.perplexity.ai/api-reference/sonar-post */
export function foundIn(pages: readonly FoundPage[]): Record<string, unknown> {
  return { citations: pages.map(({ url }) => url), search_results: pages };
}
