// `context_management` of Responses for models whose providers do not compact: a separate call writes a summary, and
// the response begins with the item that replaces the history. https://developers.openai.com/api/docs/guides/compaction
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { summaryInstruction } from '#server/formats/summary-instruction.ts';
import type { Shortening, ShortenedPrompt } from '#server/formats/prompt-edits.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import { type Sealing, sealWindow, summaryMessage } from './compaction.ts';
import { type Item, itemsOf } from './items.ts';
import { itemId } from './response-ids.ts';
import type { Json } from './present-response.ts';

/** Returns the number of prompt tokens above which the conversation is compacted; undefined for never. */
export function thresholdIn({ context_management: entries }: RelayBody): number | undefined {
  const thresholds = (Array.isArray(entries) ? entries : []).flatMap((entry: unknown) => (isOurs(entry) ? [entry.compact_threshold] : []));
  return thresholds.length === 0 ? undefined : Math.min(...thresholds);
}

function isOurs(entry: unknown): entry is { compact_threshold: number } {
  return isObject(entry) && entry.type === 'compaction' && typeof entry.compact_threshold === 'number';
}

interface ShorteningParts {
  context: Sealing;
  userId: number;
  /** Id of the response that contains the compaction item. */
  responseId: string;
  /** Request with the history included. */
  body: RelayBody;
  threshold: number;
}

/** Index from which the id of the inserted item is derived, outside the range of the model's items. */
const itemIndex = 0xffffff;

export class GatewayCompacting implements Shortening {
  readonly threshold: number;
  readonly #parts: ShorteningParts;
  readonly #window: Window;
  #front: Item | null = null;

  constructor(parts: ShorteningParts) {
    this.#parts = parts;
    this.threshold = parts.threshold;
    this.#window = windowOf(itemsOf(parts.body['input']));
  }

  /** First item of the response; null if nothing was compacted. */
  get front(): Item | null {
    return this.#front;
  }

  request(): RelayBody | null {
    const { body } = this.#parts;
    const { head } = this.#window;
    if (head.length === 0) return null;
    const same = Object.fromEntries(Object.entries(body).filter(([name]) => !ofAnswers.has(name)));
    const requested = { type: 'message', role: 'user', content: [{ type: 'input_text', text: summaryInstruction }] };
    const choice = Array.isArray(body['tools']) && body['tools'].length > 0 ? { tool_choice: 'none' } : {};
    return { ...same, ...choice, input: [...head, requested], stream: false, store: false };
  }

  /** An empty or truncated summary replaces nothing. */
  shorten(_body: RelayBody, answer: Buffer | null): ShortenedPrompt {
    const body = withoutOurs(this.#parts.body);
    const summary = answer === null ? '' : summaryIn(parseObject(answer.toString('utf8')));
    if (summary === '') return { body };
    const { context, userId, responseId } = this.#parts;
    const { standing, tail } = this.#window;
    const items = [...standing, summaryMessage(summary), ...tail];
    const encrypted_content = sealWindow(context, userId, items);
    this.#front = { id: itemId('compaction', responseId, itemIndex), type: 'compaction', encrypted_content };
    return { body: { ...body, input: items }, isShorter: true };
  }

  /** Prepends the compaction item to the final output; idempotent. */
  withFront(output: readonly unknown[]): unknown[] {
    const front = this.#front;
    const [first] = output;
    return front === null || (isObject(first) && first.id === front['id']) ? [...output] : [front, ...output];
  }
}

/** Request fields about the answer, not the conversation. */
const ofAnswers: ReadonlySet<string> = new Set([
  'context_management',
  'input',
  'include',
  'max_output_tokens',
  'max_tool_calls',
  'moderation',
  'parallel_tool_calls',
  'stream',
  'stream_options',
  'text',
  'tool_choice',
  'top_logprobs',
  'truncation',
]);

/** Removes the entries that the gateway applies, so that they are not reported as dropped. */
function withoutOurs(body: RelayBody): RelayBody {
  const { context_management: entries, ...rest } = body;
  const others = (Array.isArray(entries) ? entries : []).filter((entry: unknown) => !isOurs(entry));
  return others.length === 0 ? rest : { ...rest, context_management: others };
}

function summaryIn(response: Json | null): string {
  if (response?.['status'] !== 'completed') return '';
  const texts = itemsOf(response['output']).flatMap(({ type, content }) =>
    type === 'message' && Array.isArray(content)
      ? content.flatMap((part: unknown) =>
          isObject(part) && part.type === 'output_text' && typeof part.text === 'string' ? [part.text] : [],
        )
      : [],
  );
  return texts.join('').trim();
}

interface Window {
  /** Items to summarize. */
  head: readonly Item[];
  /** Summarized items that must remain: instructions, tools and preferences. */
  standing: readonly Item[];
  /** Items that await an answer: messages, and results with their calls. */
  tail: readonly Item[];
}

function windowOf(items: readonly Item[]): Window {
  const start = tailStart(items);
  const head = items.slice(0, start);
  const standing = head.flatMap(standingOf);
  return { head: standing.length === head.length ? [] : head, standing, tail: items.slice(start) };
}

function tailStart(items: readonly Item[]): number {
  let start = items.findLastIndex(isOfModel) + 1;
  // Tool results without their calls are rejected.
  if (items.slice(start).some(({ type }) => isResult(type))) while (start > 0 && isOfModel(items[start - 1])) start -= 1;
  return start;
}

function isOfModel(item: Item | undefined): boolean {
  if (item === undefined) return false;
  const { type = 'message', role } = item;
  return type === 'message' ? role === 'assistant' : !isResult(type) && !ofCaller.has(type);
}

const ofCaller: ReadonlySet<unknown> = new Set([
  'additional_tools',
  'compaction',
  'configuration_update',
  'item_reference',
  'mcp_approval_response',
]);

function isResult(type: unknown): boolean {
  return typeof type === 'string' && type.endsWith('_output');
}

function standingOf(item: Item): Item[] {
  const { type = 'message', role, tools } = item;
  if (type === 'additional_tools' || type === 'configuration_update') return [item];
  if (type === 'message') return role === 'system' || role === 'developer' ? [item] : [];
  // Tools found by a search stay callable.
  return type === 'tool_search_output' && Array.isArray(tools) ? [{ type: 'additional_tools', role: 'developer', tools }] : [];
}
