// Reads the conversation up to a response, by its chain of previous responses.
import { type ObjectOwner, ownerOfRecord } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import { jsonSize } from '#server/framing/part-budget.ts';
import type { StoredResponseRecord } from '#server/db/records/stored-response.ts';
import type { Item } from './items.ts';
import type { Chain, ResponseStore } from './response-store.ts';
import { createPauses, type Reading } from './sealed-json.ts';

const field = 'previous_response_id';
/** Maximum length of a chain. */
const mostPrevious = 2000;

export interface ChainBounds extends Reading {
  /** Maximum bytes of the items' JSON. */
  mostBytes: number;
  /** Whether the oldest items beyond the limits are dropped, instead of an error. */
  isCut: boolean;
  /** Reports whether everything before these items is replaced. If undefined, nothing is. */
  isStart?: (items: readonly Item[]) => boolean;
}

/**
 * Reads the items of a response and of those before it. On failure, the opener of `hold` releases it.
 * @throws {AppError} `previous_response_not_found`, `previous_response_running`, `conversation_too_long`,
 * `body_too_complex`, `bodies_of_caller`
 */
export async function readChain(
  store: ResponseStore,
  { owner, id, ...bounds }: { owner: ObjectOwner; id: string } & ChainBounds,
): Promise<{ items: Item[]; chain: Chain }> {
  const { mostBytes, isCut, hold, budget } = bounds;
  const last = await store.find(owner, id);
  if (last === null) throw notFound(id);
  if (last.status === 'queued' || last.status === 'in_progress') throw new AppError('previous_response_running', { id }, { field });
  if ((last.chain_bytes > mostBytes || last.previous_count >= mostPrevious) && !isCut) throw new AppError('conversation_too_long');
  if ((last.chain_parts ?? 0) > budget.left && !isCut) throw new AppError('body_too_complex');
  const bytes = Math.min(last.chain_bytes, mostBytes);
  // Memory for the stored and the parsed form.
  hold.grow(bytes * 2);
  const turns = await readTurns(store, last, bounds);
  hold.shrinkTo(hold.bytes - bytes);
  const chain = { previous: [id, ...last.previous], count: last.previous_count + 1, bytes: last.chain_bytes, parts: last.chain_parts };
  return { items: turns.toReversed().flat(), chain };
}

/** Reads the items of the responses, newest first, as many as fit. */
async function readTurns(
  store: ResponseStore,
  last: StoredResponseRecord,
  { mostBytes, isCut, budget, isStart }: ChainBounds,
): Promise<Item[][]> {
  const turns: Item[][] = [];
  const seen = new Set<string>();
  const pause = createPauses();
  let left = mostBytes;
  let records: readonly StoredResponseRecord[] = [last];
  for (;;) {
    for (const record of records) {
      seen.add(record.id);
      const text = await store.itemsTextIn(record);
      left -= text.length;
      if (left < 0 || turns.length > mostPrevious) return turns;
      if (isCut && jsonSize(text, budget.left).parts > budget.left) return turns;
      const items = await store.itemsOf(record, text, budget);
      turns.push(items);
      if (isStart?.(items) === true) return turns;
      await pause();
    }
    const earlier: readonly string[] = (records.at(-1)?.previous ?? []).filter((id) => !seen.has(id));
    if (earlier.length === 0) return turns;
    const byId = new Map((await store.findAll(ownerOfRecord(last), earlier)).map((record) => [record.id, record]));
    records = earlier.map((id) => {
      const record = byId.get(id);
      if (record === undefined) throw notFound(id);
      return record;
    });
  }
}

function notFound(id: string): AppError {
  return new AppError('previous_response_not_found', { id }, { field });
}
