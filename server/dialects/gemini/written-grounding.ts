// Searches and citations as what a response rests on. Ranges are in bytes.
import type { ResponsePart } from '../parts.ts';

type Json = Record<string, unknown>;

/** Characters of text that are kept for ranges. */
const mostText = 256 * 1024;

export class WrittenGrounding {
  readonly #chunks: Json[] = [];
  readonly #places = new Map<string, number>();
  readonly #supports: Json[] = [];
  readonly #queries: string[] = [];
  #text = '';
  #length = 0;

  addText(text: string): void {
    this.#length += text.length;
    if (this.#length <= mostText) this.#text += text;
  }

  addQuery(query: unknown): void {
    if (typeof query === 'string' && query !== '') this.#queries.push(query);
  }

  cite({ url, title, start, end }: Extract<ResponsePart, { type: 'citation' }>): void {
    const place = this.#places.get(url) ?? this.#chunks.length;
    if (place === this.#chunks.length) {
      this.#places.set(url, place);
      this.#chunks.push({ web: { uri: url, ...(title === undefined ? {} : { title }) } });
    }
    if (start === undefined || end === undefined || end <= start || this.#length > mostText) return;
    const startIndex = Buffer.byteLength(this.#text.slice(0, start));
    const text = this.#text.slice(start, end);
    const segment = { startIndex, endIndex: startIndex + Buffer.byteLength(text), text };
    this.#supports.push({ segment, groundingChunkIndices: [place] });
  }

  written(): Json {
    if (this.#chunks.length + this.#queries.length === 0) return {};
    return {
      groundingMetadata: {
        groundingChunks: this.#chunks,
        ...(this.#supports.length === 0 ? {} : { groundingSupports: this.#supports }),
        ...(this.#queries.length === 0 ? {} : { webSearchQueries: this.#queries }),
      },
    };
  }
}
