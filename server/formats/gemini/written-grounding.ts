// Writes searches and citations as grounding metadata. Ranges are in bytes.
import type { ResponsePart } from '../parts.ts';
import { ByteOffsets } from './byte-offsets.ts';

type Json = Record<string, unknown>;

/** Maximum buffered characters for ranges. */
const mostText = 256 * 1024;
/** Maximum characters of all segments: citations may overlap. */
const mostSegments = 4 * mostText;

export class WrittenGrounding {
  readonly #chunks: Json[] = [];
  readonly #places = new Map<string, number>();
  readonly #supports: Json[] = [];
  readonly #queries: string[] = [];
  readonly #written = new ByteOffsets();
  #length = 0;
  #segments = 0;

  addText(text: string): void {
    this.#length += text.length;
    if (this.#length <= mostText) this.#written.add(text);
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
    const text = this.#written.text.slice(start, end);
    this.#segments += text.length;
    if (this.#segments > mostSegments) return;
    const segment = { startIndex: this.#written.byteAt(start), endIndex: this.#written.byteAt(start + text.length), text };
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
