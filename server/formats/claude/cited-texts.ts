// Writes citations of Messages responses. A citation belongs to a whole text block, so texts are split.
import type { ResponsePart } from '../parts.ts';

type Json = Record<string, unknown>;
export type Citation = Extract<ResponsePart, { type: 'citation' | 'document_citation' }>;

/** https://platform.claude.com/docs/en/build-with-claude/citations */
export function writeCitation(citation: Citation): Json {
  const cited_text = citation.text ?? '';
  if (citation.type === 'citation') {
    // Only the vendor's models can read `encrypted_index`.
    return { type: 'web_search_result_location', url: citation.url, title: citation.title ?? null, encrypted_index: '', cited_text };
  }
  const { document, title = null, origin, object } = citation;
  if (origin === 'claude') return { ...object };
  const place = { start_char_index: 0, end_char_index: cited_text.length };
  return { type: 'char_location', cited_text, document_index: document, document_title: title, ...place, file_id: null };
}

interface Span {
  start: number;
  end: number;
  citation: Json;
}

/** Splits the texts of a complete response at the ranges of their citations. */
export class CitedTexts {
  #length = 0;
  readonly #spans: Span[] = [];
  readonly #starts = new Map<Json, number>();
  #last: Json | null = null;

  /**
   * Adds text.
   * @param block block that contains the text
   */
  add(block: Json, text: string): void {
    if (!this.#starts.has(block)) this.#starts.set(block, this.#length);
    this.#last = block;
    this.#length += text.length;
  }

  cite(citation: Citation): void {
    if (this.#last === null) return;
    const { start = this.#starts.get(this.#last) ?? 0, end = this.#length } = citation;
    this.#spans.push({ start, end: Math.min(end, this.#length), citation: writeCitation(citation) });
  }

  /** Returns the blocks with texts split; others unchanged. */
  cut(blocks: readonly Json[]): Json[] {
    return this.#spans.length === 0 ? [...blocks] : blocks.flatMap((block) => this.#pieces(block));
  }

  #pieces(block: Json): Json[] {
    const from = this.#starts.get(block);
    if (from === undefined || typeof block['text'] !== 'string') return [block];
    const { text } = block;
    const to = from + text.length;
    const own = this.#spans.filter(({ start, end }) => start < to && end > from);
    const edges = [...new Set([from, to, ...own.flatMap(({ start, end }) => [Math.max(from, start), Math.min(to, end)])])].sort(
      (a, b) => a - b,
    );
    return edges.slice(0, -1).map((start, index) => {
      const end = edges[index + 1] ?? to;
      const citations = own.filter((span) => span.start <= start && span.end >= end).map(({ citation }) => citation);
      return { ...block, text: text.slice(start - from, end - from), ...(citations.length === 0 ? {} : { citations }) };
    });
  }
}
