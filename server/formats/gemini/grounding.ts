// Grounding metadata: searches, sources and the text that each supports.
// https://ai.google.dev/gemini-api/docs/google-search#attributing-sources-with-inline-citations
import type { HostedCalls } from '#shared/hosted-tools.ts';
import { isObject, type JsonObject } from '#server/framing/loose-json.ts';
import { factsOf } from '#server/model-facts/find-facts.ts';
import type { ResponsePart } from '../parts.ts';
import { ByteOffsets } from './byte-offsets.ts';

/** Maximum buffered characters for ranges, which come at the end and in bytes. */
const mostText = 256 * 1024;
/** Maximum characters searched for segments that are not at their byte range. */
const mostSought = 16 * 1024 * 1024;
/** Maximum sources of a candidate's searches: they are not attributed to a search, so each search has all of them. */
const mostFound = 2000;
/** Maximum characters of a cited text, as Claude's citations have: each range may repeat it. */
const mostCited = 150;
interface Source {
  url: string;
  title?: string;
  /** Beginning of the source's text. */
  text?: string;
}

/** Searches of one prompt, shared by its candidates. */
export class Searches {
  readonly #isPerPrompt: boolean;
  readonly #queries = new Set<string>();
  #isGrounded = false;
  #maps = 0;

  constructor(model: string) {
    this.#isPerPrompt = factsOf(model)?.isSearchedByPrompt === true;
  }

  /** Counts searches. Stream events may repeat them. Empty queries are not billed. */
  add(queries: readonly string[], chunks: readonly unknown[]): void {
    for (const query of queries) this.#queries.add(query);
    this.#isGrounded ||= chunks.some((chunk) => isObject(chunk) && isObject(chunk.web));
    this.#maps ||= chunks.some((chunk) => isObject(chunk) && isObject(chunk.maps)) ? 1 : 0;
  }

  /** Billed runs so far. If undefined, none. */
  get billed(): HostedCalls | undefined {
    const isSearched = this.#queries.size > 0 || this.#isGrounded;
    const searches = this.#isPerPrompt ? Number(isSearched) : this.#queries.size;
    if (searches + this.#maps === 0) return undefined;
    return { ...(searches === 0 ? {} : { web_search: searches }), ...(this.#maps === 0 ? {} : { maps: this.#maps }) };
  }
}

/** Grounding of one candidate. */
export class Grounding {
  readonly #searches: Searches;
  readonly #choice: number;
  readonly #cited = new Set<string>();
  readonly #queries = new Set<string>();
  readonly #places = new ByteOffsets();
  #length = 0;
  #sought = 0;
  #found = 0;

  constructor(searches: Searches, choice: number) {
    this.#searches = searches;
    this.#choice = choice;
  }

  addText(text: string): void {
    this.#length += text.length;
    if (this.#length <= mostText) this.#places.add(text);
  }

  read({ groundingMetadata: grounding, citationMetadata: cited }: JsonObject): ResponsePart[] {
    const parts: ResponsePart[] = [];
    if (isObject(grounding)) parts.push(...this.#supports(grounding));
    const chunks = isObject(grounding) ? listOf(grounding.groundingChunks) : [];
    for (const chunk of chunks) parts.push(...this.#once(sourceOf(chunk)));
    const sources = isObject(cited) ? (cited.citationSources ?? cited.citations) : [];
    for (const source of listOf(sources)) parts.push(...this.#once(sourceAt(source), this.#rangeOf(source)));
    // Citations follow their text.
    return isObject(grounding) ? [...parts, ...this.#searched(grounding)] : parts;
  }

  /** Reads searches and their sources once: each event may repeat all of them. */
  #searched({ webSearchQueries, imageSearchQueries, groundingChunks }: JsonObject): ResponsePart[] {
    const parts: ResponsePart[] = [];
    const chunks = listOf(groundingChunks);
    const queries = [...listOf(webSearchQueries), ...listOf(imageSearchQueries)].filter(isQuery);
    let found: Omit<Source, 'text'>[] | undefined;
    for (const query of queries) {
      if (this.#queries.has(query)) continue;
      this.#queries.add(query);
      const id = `search_${this.#queries.size}`;
      const shared = { kind: 'web_search', origin: 'gemini', object: {}, choice: this.#choice } as const;
      found ??= chunks.flatMap((chunk) => sourceOf(chunk) ?? []).map(({ text: _text, ...source }) => source);
      const sources = found.slice(0, mostFound - this.#found);
      this.#found += sources.length;
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

  /** Returns a range in characters. The segment's text locates it, whichever part its bytes refer to. */
  #rangeOf(segment: unknown): { start?: number; end?: number } {
    if (!isObject(segment) || this.#length > mostText) return {};
    const { text, startIndex = 0, endIndex } = segment;
    if (typeof startIndex !== 'number') return {};
    const guess = this.#places.letterAt(startIndex);
    if (typeof text !== 'string' || text === '') {
      return typeof endIndex === 'number' ? { start: guess, end: this.#places.letterAt(endIndex) } : {};
    }
    const start = this.#places.text.startsWith(text, guess) ? guess : this.#seek(text);
    return start < 0 ? {} : { start, end: start + text.length };
  }

  #seek(text: string): number {
    const all = this.#places.text;
    if (this.#sought > mostSought) return -1;
    const found = all.indexOf(text);
    this.#sought += found < 0 ? all.length : found;
    return found;
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

/** Returns the page on which an image was found. */
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
