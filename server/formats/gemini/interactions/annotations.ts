// Citations as annotations of a text, with ranges in bytes.
import type { ResponsePart } from '../../parts.ts';

type Citation = Extract<ResponsePart, { type: 'citation' | 'document_citation' }>;

/** Maximum buffered characters for ranges. */
const mostText = 256 * 1024;

/** Maps character offsets of the whole text to bytes of its last piece. */
export class TextBytes {
  #text = '';
  /** Characters before the piece. */
  #before = 0;
  #length = 0;

  /** Begins another piece of the text. */
  begin(): void {
    this.#before += this.#length;
    this.#length = 0;
    this.#text = '';
  }

  add(text: string): void {
    this.#length += text.length;
    if (this.#length <= mostText) this.#text += text;
  }

  /** If null, the range is unknown. */
  range(start: number | undefined, end: number | undefined): { start_index: number; end_index: number } | null {
    if (start === undefined || end === undefined || this.#length > mostText) return null;
    const [from, to] = [start - this.#before, end - this.#before];
    if (from < 0 || to <= from || to > this.#length) return null;
    const start_index = Buffer.byteLength(this.#text.slice(0, from));
    return { start_index, end_index: start_index + Buffer.byteLength(this.#text.slice(from, to)) };
  }
}

export function annotationOf(citation: Citation, bytes: TextBytes): Record<string, unknown> {
  if (citation.type === 'citation') {
    const { url, title = url, start, end } = citation;
    return { type: 'url_citation', url, title, ...bytes.range(start, end) };
  }
  // The range of a document citation refers to the document, not to the text.
  const { title, text } = citation;
  return {
    type: 'file_citation',
    ...(title === undefined ? {} : { file_name: title }),
    ...(text === undefined ? {} : { source: text }),
  };
}
