// Reads results of Perplexity's hosted tools, and resolves citations: the text has `[3]` after content from the third page.
// https://docs.perplexity.ai/docs/agent-api/tools/web-search
import type { HostedCalls, HostedKind } from '#shared/hosted-tools.ts';
import { isObject, type JsonObject } from '#server/framing/loose-json.ts';
import type { FoundPage, ResponsePart } from '../../parts.ts';

export const origin = 'perplexity-agent';

/** Kinds of tools by their name in the usage; other tools have no kind. */
const kinds: Readonly<Record<string, HostedKind>> = { search_web: 'web_search', fetch_url: 'web_fetch', sandbox: 'code_execution' };

/** Names of Perplexity's tools, which are streamed like function calls while they run. Callers' functions cannot have them. */
const perplexityTools: ReadonlySet<string> = new Set([
  ...Object.keys(kinds),
  'web_search',
  'search_people',
  'people_search',
  'finance_search',
  'load_skill',
  'share_file',
]);

export function isPerplexityCall({ type, name }: Readonly<JsonObject>): boolean {
  return type === 'function_call' && typeof name === 'string' && perplexityTools.has(name);
}

/** Reads the runs in the usage; null if it reports none. */
export function reportedRuns(usage: unknown): HostedCalls | null {
  const details = isObject(usage) ? usage.tool_calls_details : undefined;
  if (!isObject(details)) return null;
  const calls: Partial<Record<HostedKind, number>> = {};
  for (const [tool, reported] of Object.entries(details)) {
    const count = isObject(reported) ? reported.invocation : reported;
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 1) continue;
    const kind = Object.hasOwn(kinds, tool) ? (kinds[tool] ?? 'other') : 'other';
    calls[kind] = (calls[kind] ?? 0) + count;
  }
  return Object.keys(calls).length === 0 ? null : calls;
}

/** Matches citation marks. */
const marks = /\[(\d{1,4})\]/g;
const begunMark = /\[\d{0,4}$/;

export class Findings {
  readonly #pages = new Map<number, FoundPage>();
  readonly #cited = new Set<string>();
  readonly #runs: Partial<Record<HostedKind, number>> = {};
  #searches = 0;
  /** Characters of the text so far, and the partial mark at its end. */
  #length = 0;
  #begun = '';

  get length(): number {
    return this.#length;
  }

  get isEmpty(): boolean {
    return this.#searches === 0;
  }

  /** Reads an item with results of a tool; returns no parts for other items. */
  read(item: Readonly<JsonObject>): ResponsePart[] {
    const kind = item.type === 'search_results' ? 'web_search' : item.type === 'fetch_url_results' ? 'web_fetch' : null;
    if (kind === null) return [];
    this.#runs[kind] = (this.#runs[kind] ?? 0) + 1;
    const ran: ResponsePart = { type: 'hosted_usage', calls: { ...this.#runs } };
    return kind === 'web_fetch' ? [ran] : [...this.#search(item), ran];
  }

  #search(item: Readonly<JsonObject>): ResponsePart[] {
    this.#searches += 1;
    const found = listOf(item.results).flatMap((result) => pageOf(result) ?? []);
    for (const { id, page } of found) {
      const free = id !== undefined && (!this.#pages.has(id) || this.#pages.get(id)?.url === page.url);
      this.#pages.set(free ? id : Math.max(0, ...this.#pages.keys()) + 1, page);
    }
    const query = listOf(item.queries)
      .filter((text) => typeof text === 'string')
      .join(' ');
    const id = `search_${this.#searches}`;
    const shared = { kind: 'web_search', origin, object: item } as const;
    const sources = found.map(({ page: { url, title } }) => ({ url, ...(title === undefined ? {} : { title }) }));
    return [
      { type: 'hosted_call', id, ...shared, input: { query } },
      { type: 'hosted_result', callId: id, ...shared, sources, isError: false },
      { type: 'found_pages', pages: [...this.#pages].toSorted(([a], [b]) => a - b).map(([, page]) => page) },
    ];
  }

  /** Returns the text, and citations for the marks in it whose pages are known. */
  cite(text: string): ResponsePart[] {
    const parts: ResponsePart[] = [{ type: 'text', text }];
    const start = this.#length - this.#begun.length;
    const looked = this.#begun + text;
    for (const mark of looked.matchAll(marks)) {
      const page = this.#pages.get(Number(mark[1]));
      if (page === undefined) continue;
      const { url, title } = page;
      const at = start + mark.index;
      this.#cited.add(url);
      parts.push({ type: 'citation', url, ...(title === undefined ? {} : { title }), start: at, end: at + mark[0].length });
    }
    this.#length += text.length;
    this.#begun = begunMark.exec(looked)?.[0] ?? '';
    return parts;
  }

  /** Filters the response's citations: pages already cited by marks are omitted. */
  reported(citations: readonly ResponsePart[]): ResponsePart[] {
    return citations.filter((part) => part.type === 'citation' && !this.#cited.has(part.url));
  }
}

function pageOf(result: unknown): { id: number | undefined; page: FoundPage } | null {
  if (!isObject(result) || typeof result.url !== 'string' || result.url === '') return null;
  const { id, url } = result;
  const page: FoundPage = { url };
  for (const name of ['title', 'snippet', 'date', 'last_updated', 'source'] as const) {
    const value = result[name];
    if (typeof value === 'string' && value !== '') page[name] = value;
  }
  return { id: typeof id === 'number' && Number.isInteger(id) && id > 0 ? id : undefined, page };
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
