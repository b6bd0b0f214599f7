// Writes citations as annotations of a text.
import type { ResponsePart } from '../parts.ts';

/** @param range range of characters in the text of the part */
export function annotationOf(
  citation: Extract<ResponsePart, { type: 'citation' | 'document_citation' }>,
  range: { start_index: number; end_index: number },
): Record<string, unknown> {
  if (citation.type === 'citation') {
    const { url, title = url } = citation;
    return { type: 'url_citation', url, title, ...range };
  }
  const { document, title = '', object } = citation;
  const fileId = typeof object['file_id'] === 'string' ? object['file_id'] : `document_${document}`;
  return { type: 'file_citation', file_id: fileId, filename: title, index: range.end_index };
}
