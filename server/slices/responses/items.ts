// Items of the Responses API, as they are stored, listed and sent to models.
import { isObject } from '#server/framing/loose-json.ts';
import { itemId } from './response-ids.ts';

export type Item = Readonly<Record<string, unknown>>;

/** Items of a request's `input`. */
export function itemsOf(input: unknown): Item[] {
  if (typeof input === 'string') return input === '' ? [] : [{ role: 'user', content: input }];
  return Array.isArray(input) ? input.filter(isObject) : [];
}

const summaries: ReadonlySet<unknown> = new Set(['compaction', 'compaction_summary', 'context_compaction']);

/** Reports whether the item replaces everything before it. */
export function isCompaction({ type }: Item): boolean {
  return summaries.has(type);
}

/**
 * Completes items with the fields that lists return.
 * @param holderId id from which item ids are derived
 * @param from index of the first item
 */
export function completeItems(items: readonly Item[], holderId: string, from = 0): Item[] {
  return items.map((item, index) => {
    const type = item['type'] ?? 'message';
    const id = typeof item['id'] === 'string' && item['id'] !== '' ? item['id'] : itemId(type, holderId, from + index);
    if (type !== 'message') return { ...item, type, id };
    const content = contentOf(item);
    return { ...item, type, id, status: item['status'] ?? 'completed', content };
  });
}

function contentOf({ role, content }: Item): unknown {
  if (typeof content !== 'string') return content;
  if (role !== 'assistant') return [{ type: 'input_text', text: content }];
  return [{ type: 'output_text', text: content, annotations: [], logprobs: [] }];
}

/** Fields that only lists return; the ids are unknown to providers. */
const listed: ReadonlySet<string> = new Set(['id', 'status', 'created_by']);

/** Converts a stored item to request input. Types in `needsNoId` lose their ids. */
export function asInput(item: Item): Item {
  if (!needsNoId.has(String(item['type']))) return item;
  const stored = Object.fromEntries(Object.entries(item).filter(([name]) => !listed.has(name)));
  return Array.isArray(stored['content']) ? { ...stored, content: stored['content'].map(withoutLogprobs) } : stored;
}

const needsNoId: ReadonlySet<string> = new Set([
  'message',
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'compaction',
]);

function withoutLogprobs(part: unknown): unknown {
  if (!isObject(part) || part.type !== 'output_text') return part;
  const { logprobs: _logprobs, ...rest } = part;
  return rest;
}
