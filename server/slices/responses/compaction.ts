// Compaction by the gateway: the summary is sealed together with the user's id, and only calls of that user can open it.
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import type { AppContext } from '#server/context.ts';
import { badField } from '#server/framing/strict-fields.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { PartBudget } from '#server/framing/part-budget.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import { completeItems, isCompaction, type Item, itemsOf } from './items.ts';
import { ownerOf } from './response-store.ts';
import { createPauses, longCharacters, parseStored } from './sealed-json.ts';
import type { Json } from './present-response.ts';

export type Sealing = Pick<AppContext, 'secrets'>;
type Opening = Pick<AppContext, 'secrets' | 'bodies'>;

/** Prefix of summaries that are not sealed yet. */
const summaryMark = 'tidegate-summary:';
/** Origin in the format of vendors' seals. */
const sealMark = 'tidegate-seal:tidegate:';

/** Reports whether the gateway sealed the item. Its user is known only after opening it. */
export function isSealedHere(item: unknown): item is Item & { encrypted_content: string } {
  return isObject(item) && isCompaction(item) && typeof item.encrypted_content === 'string' && item.encrypted_content.startsWith(sealMark);
}

/** Seals the summaries of one response; its events and its end share the result. */
export class SummarySeal {
  readonly #context: Sealing;
  readonly #userId: number;
  readonly #sealed = new Map<string, string>();

  constructor(context: Sealing, userId: number) {
    this.#context = context;
    this.#userId = userId;
  }

  /** Items sealed by vendors stay unchanged. */
  item(item: unknown): unknown {
    if (!isObject(item) || item.type !== 'compaction' || typeof item.encrypted_content !== 'string') return item;
    const { encrypted_content: text } = item;
    if (!text.startsWith(summaryMark)) return item;
    const sealed = this.#sealed.get(text) ?? this.#seal(text.slice(summaryMark.length));
    this.#sealed.set(text, sealed);
    return { ...item, encrypted_content: sealed };
  }

  #seal(summary: string): string {
    return seal(this.#context, { user: this.#userId, summary });
  }
}

function seal({ secrets }: Sealing, content: object): string {
  return `${sealMark}${secrets.encrypt(JSON.stringify(content), 'summary')}`;
}

/** @param items items that replace everything before, the summary among them */
export function sealWindow(context: Sealing, userId: number, items: readonly Item[]): string {
  return seal(context, { user: userId, items });
}

const introduction = 'What was said before has been replaced by this summary of it:';

export function summaryMessage(summary: string): Item {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text: `${introduction}\n\n${summary}` }] };
}

/**
 * Replaces items sealed here by their contents. The last window replaces everything before it, which is not opened.
 * @param budget counts opened parts before they are parsed
 * @throws {AppError} `invalid_request` for seals of other users or modified ones; the budget's errors
 */
export async function openSummaries(
  context: Opening,
  userId: number,
  { items, budget }: { items: readonly Item[]; budget: PartBudget },
): Promise<Item[]> {
  const pause = createPauses();
  /** In reverse order. */
  const found: Item[] = [];
  for (const item of items.toReversed()) {
    if (!isSealedHere(item)) {
      found.push(item);
      continue;
    }
    const stored = await opened(context, userId, { sealed: item.encrypted_content.slice(sealMark.length), budget });
    if (stored?.['user'] !== userId) throw badField('input.encrypted_content', fieldRules.invalid);
    if (Array.isArray(stored['items'])) return [...itemsOf(stored['items']), ...found.toReversed()];
    if (typeof stored['summary'] !== 'string') throw badField('input.encrypted_content', fieldRules.invalid);
    found.push(summaryMessage(stored['summary']));
    await pause();
  }
  return found.toReversed();
}

async function opened(
  { secrets, bodies }: Opening,
  userId: number,
  { sealed, budget }: { sealed: string; budget: PartBudget },
): Promise<Json | null> {
  const owner = ownerOf(userId);
  const decrypt = () => secrets.decrypt(sealed, 'summary');
  try {
    const text = sealed.length > longCharacters ? await bodies.inTurn(owner, decrypt) : decrypt();
    const stored = await parseStored({ bodies }, owner, text, budget);
    return isObject(stored) ? stored : null;
  } catch (failure) {
    if (failure instanceof AppError) throw failure;
    // Decryption failed: the gateway did not seal it.
    return null;
  }
}

/** Fields copied from a compaction request. Its response is neither streamed nor stored. */
const carriedFields = [
  'model',
  'instructions',
  'previous_response_id',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'service_tier',
];

/**
 * Equivalent response request that ends with a summary.
 * https://platform.openai.com/docs/api-reference/responses/compact
 */
export function compactionBody(body: RelayBody): RelayBody {
  const carried = carriedFields.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]] as const]));
  return { ...Object.fromEntries(carried), input: [...itemsOf(body['input']), { type: 'compaction_trigger' }], store: false };
}

/** Response of the compaction endpoint: the user messages, and the item that replaces everything else. */
export function compactedResponse(response: Json, input: readonly Item[]): Json {
  const messages = completeItems(
    input.filter(({ type = 'message', role }) => type === 'message' && role === 'user'),
    String(response['id']),
  );
  const output = itemsOf(response['output']).filter(({ type }) => type === 'compaction');
  const { id, created_at, usage } = response;
  return { id, object: 'response.compaction', created_at, output: [...messages, ...output], usage };
}

/** Items from the last compaction on. */
export function sinceCompaction(items: readonly Item[]): readonly Item[] {
  const last = items.findLastIndex(isCompaction);
  return last < 0 ? items : items.slice(last);
}
