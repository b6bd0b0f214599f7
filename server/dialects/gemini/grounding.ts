// What a response rests on: searches, their sources, and which of its text each of them is about.
// https://ai.google.dev/gemini-api/docs/google-search#attributing-sources-with-inline-citations
import type { HostedCalls } from '#shared/hosted-tools.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { factsOf } from '#server/model-facts/find-facts.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';
import type { ResponsePart } from '../parts.ts';

/** Characters of text that are kept for ranges, which come at the end and in bytes. */
const mostText = 256 * 1024;
/** Characters of a source that are told of it, as of those that Claude cites: each range may have it. */
const mostCited = 150;
interface Source {
  url: string;
  title?: string;
  /** How what stands there begins. */
  text?: string;
}

/** Searches of one prompt, which its candidates share. */
export class Searches {
  readonly #isPerPrompt: boolean;
  readonly #queries = new Set<string>();
  #isGrounded = false;
  #maps = 0;

  constructor(model: string) {
    this.#isPerPrompt = factsOf(model)?.isSearchedByPrompt === true;
  }

  /** Counts what a candidate rests on. Events of a stream may repeat it. Empty queries are not billed. */
  add(queries: readonly string[], chunks: readonly unknown[]): void {
    for (const query of queries) this.#queries.add(query);
    this.#isGrounded ||= chunks.some((chunk) => isObject(chunk) && isObject(chunk.web));
    this.#maps ||= chunks.some((chunk) => isObject(chunk) && isObject(chunk.maps)) ? 1 : 0;
  }

  /** Billed runs so far; undefined: none. */
  get billed(): HostedCalls | undefined {
    const isSearched = this.#queries.size > 0 || this.#isGrounded;
    const searches = this.#isPerPrompt ? Number(isSearched) : this.#queries.size;
    if (searches + this.#maps === 0) return undefined;
    return { ...(searches === 0 ? {} : { web_search: searches }), ...(this.#maps === 0 ? {} : { maps: this.#maps }) };
  }
}

/** Of one candidate. */
export class Grounding {
  readonly #searches: Searches;
  readonly #choice: number;
  readonly #cited = new Set<string>();
  readonly #queries = new Set<string>();
  #text = '';
  /** Of the text, once a range was asked for. */
  #bytes: Buffer | null = null;
  #length = 0;

  constructor(searches: Searches, choice: number) {
    this.#searches = searches;
    this.#choice = choice;
  }

  addText(text: string): void {
    this.#length += text.length;
    this.#bytes = null;
    if (this.#length <= mostText) this.#text += text;
  }

  read({ groundingMetadata: grounding, citationMetadata: cited }: JsonObject): ResponsePart[] {
    const parts: ResponsePart[] = [];
    if (isObject(grounding)) parts.push(...this.#supports(grounding));
    const chunks = isObject(grounding) ? listOf(grounding.groundingChunks) : [];
    for (const chunk of chunks) parts.push(...this.#once(sourceOf(chunk)));
    const sources = isObject(cited) ? (cited.citationSources ?? cited.citations) : [];
    for (const source of listOf(sources)) parts.push(...this.#once(sourceAt(source), this.#rangeOf(source)));
    // Citations belong to the text before them.
    return isObject(grounding) ? [...parts, ...this.#searched(grounding)] : parts;
  }

  /** Each event may tell all of them again. */
  #searched({ webSearchQueries, imageSearchQueries, groundingChunks }: JsonObject): ResponsePart[] {
    const parts: ResponsePart[] = [];
    const chunks = listOf(groundingChunks);
    const queries = [...listOf(webSearchQueries), ...listOf(imageSearchQueries)].filter(isQuery);
    for (const query of queries) {
      if (this.#queries.has(query)) continue;
      this.#queries.add(query);
      const id = `search_${this.#queries.size}`;
      const shared = { kind: 'web_search', origin: 'gemini', object: {}, choice: this.#choice } as const;
      const found = chunks.flatMap((chunk) => sourceOf(chunk) ?? []);
      const sources = found.map(({ text: _text, ...source }) => source);
      parts.push({ type: 'hosted_call', id, ...shared, input: { query } });
      parts.push({ type: 'hosted_result', callId: id, ...shared, sources, isError: false });
    }
    this.#searches.add(queries, chunks);
    const calls = this.#searches.billed;
    return calls === undefined ? parts : [...parts, { type: 'hosted_usage', calls }];
  }

  #supports({ groundingSupports, groundingChunks }: JsonObject): ResponsePart[] {
    const chunks = listOf(groundingChunks);
    return listOf(groundingSupports).flatMap((support): ResponsePart[] => {
      if (!isObject(support)) return [];
      const range = this.#rangeOf(support.segment);
      return listOf(support.groundingChunkIndices).flatMap((index): ResponsePart[] => {
        const source = typeof index === 'number' ? sourceOf(chunks[index]) : null;
        if (source === null) return [];
        this.#cited.add(source.url);
        return [{ type: 'citation', ...source, ...range, choice: this.#choice }];
      });
    });
  }

  /** In characters. The segment's text tells where it is, whichever part its bytes are of. */
  #rangeOf(segment: unknown): { start?: number; end?: number } {
    if (!isObject(segment) || this.#length > mostText) return {};
    const { text, startIndex = 0, endIndex } = segment;
    if (typeof startIndex !== 'number') return {};
    this.#bytes ??= Buffer.from(this.#text);
    const bytes = this.#bytes;
    const guess = bytes.toString('utf8', 0, startIndex).length;
    if (typeof text !== 'string' || text === '') {
      return typeof endIndex === 'number' ? { start: guess, end: bytes.toString('utf8', 0, endIndex).length } : {};
    }
    const start = this.#text.startsWith(text, guess) ? guess : this.#text.indexOf(text);
    return start < 0 ? {} : { start, end: start + text.length };
  }

  #once(source: Source | null, range: { start?: number; end?: number } = {}): ResponsePart[] {
    if (source === null || this.#cited.has(source.url)) return [];
    this.#cited.add(source.url);
    return [{ type: 'citation', ...source, ...range, choice: this.#choice }];
  }
}

function sourceOf(chunk: unknown): Source | null {
  return isObject(chunk) ? sourceAt(chunk.web ?? chunk.maps ?? chunk.retrievedContext ?? pictureIn(chunk)) : null;
}

/** The page that a picture was found on. */
function pictureIn({ image }: JsonObject): JsonObject | undefined {
  return isObject(image) ? { uri: image.sourceUri, title: image.title } : undefined;
}

function sourceAt(source: unknown): Source | null {
  if (!isObject(source) || !isFilled(source.uri)) return null;
  const { uri: url, title, text } = source;
  return { url, ...(isFilled(title) ? { title } : {}), ...(isFilled(text) ? { text: text.slice(0, mostCited) } : {}) };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isQuery(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
