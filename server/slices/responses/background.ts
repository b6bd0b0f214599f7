// Starts, limits and cancels background responses, and ends those whose process died.
import type { ObjectOwner } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { type Patch, UniqueConflict } from '#server/db/collection.ts';
import type { Write } from '#server/db/database.ts';
import type { StoredResponseRecord } from '#server/db/records/stored-response.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { jsonSize } from '#server/framing/part-budget.ts';
import type { UnwatchedCall } from '#server/call/conversation-source.ts';
import { chargeOf } from '#server/money/recovery/call-charge.ts';
import { aliveMs, BackgroundRun, type ResponseAtWork } from './background-run.ts';
import { ConversationStore } from './conversation-store.ts';
import { eventWrites, lastNumberOf } from './event-log.ts';
import { removeResponse } from './holdings.ts';
import { type Item, itemsOf } from './items.ts';
import { ResponseStore, type StoredEnding } from './response-store.ts';
import type { Json } from './present-response.ts';

/** Time that a caller waits for a cancelled run to end. */
const cancelMs = 5_000;
const pollMs = 50;
/** Time for which a process claims an orphan. */
const claimMs = 30_000;
/** Upper bound of a settlement in a live process. */
const settlingMs = 10 * 60_000;

export class BackgroundResponses {
  readonly #context: AppContext;
  readonly #store: ResponseStore;
  readonly #runs = new Map<string, BackgroundRun>();
  readonly #cancelling = new Map<string, Promise<StoredResponseRecord | null>>();

  constructor(context: AppContext, store: ResponseStore) {
    this.#context = context;
    this.#store = store;
    const stopListening = context.changes.listen('cancelled_response', (id) => this.#runs.get(String(id))?.cancel());
    context.onClose(() => {
      stopListening();
      return Promise.resolve();
    });
  }

  /**
   * Starts the run.
   * @throws {AppError} `too_many_background`
   */
  async begin(work: ResponseAtWork, call: UnwatchedCall): Promise<void> {
    const { userId, memberId, shell, input, chain } = work;
    const { record, rest } = await this.#store.recordOf({ response: shell, userId, memberId, input, chain });
    await this.#insert({ ...record, is_background: true, alive_until: this.#context.now() + aliveMs }, rest);
    await this.#store.holdings.added(userId, { count: 1, bytes: record.bytes });
    const run = new BackgroundRun(this.#context, this.#store, { ...work, record, call });
    this.#runs.set(record.id, run);
    this.#context.waitUntil(run.done.finally(() => this.#runs.delete(record.id)));
    run.start();
  }

  /**
   * Inserts the record in a free slot of the user. The writes before it are harmless if it fails.
   * @throws {AppError} `too_many_background`
   */
  async #insert(record: StoredResponseRecord, rest: readonly Write[]): Promise<void> {
    const most = this.#context.settings.get('BackgroundResponsesPerUser');
    const places = Array.from({ length: most }, (_none, place) => `${record.user_id}:${place}`);
    const taken = await this.#context.db.collection('responses').find({ place: { in: places } }, { limit: most });
    const isTaken = new Set(taken.map(({ place }) => place));
    const free = places.filter((each) => !isTaken.has(each));
    if (free.length > 0) await this.#context.db.write(rest);
    for (const place of free) {
      try {
        await this.#context.db.collection('responses').insert({ ...record, place });
        return;
      } catch (failure) {
        // Another run has taken the slot.
        if (!(failure instanceof UniqueConflict)) throw failure;
      }
    }
    if (free.length > 0) await removeResponse(this.#context, record.id);
    throw new AppError('too_many_background', { count: most }, { retryAfter: 10 });
  }

  /** Cancels a run on any process, and waits briefly for its end; concurrent requests share one cancellation. */
  async cancel(owner: ObjectOwner, id: string): Promise<StoredResponseRecord | null> {
    // Other users' runs are neither cancelled nor awaited.
    const record = await this.find(owner, id);
    if (record?.place === undefined) return record;
    const cancelling = this.#cancelling.get(id) ?? this.#cancel(owner, id).finally(() => this.#cancelling.delete(id));
    this.#cancelling.set(id, cancelling);
    return cancelling;
  }

  async #cancel(owner: ObjectOwner, id: string): Promise<StoredResponseRecord | null> {
    const end = performance.now() + cancelMs;
    await this.#context.changes.announce('cancelled_response', id);
    for (;;) {
      const record = await this.find(owner, id);
      if (record?.place === undefined || performance.now() > end) return record;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  /** Finds a response like `ResponseStore.find`, after ending it if its process died. */
  async find(owner: ObjectOwner, id: string): Promise<StoredResponseRecord | null> {
    const record = await this.#store.find(owner, id);
    if (record?.alive_until === undefined || record.alive_until > this.#context.now()) return record;
    await endOrphan(this.#context, this.#store, record);
    return this.#store.find(owner, id);
  }

  /** Stops all runs at shutdown. */
  shutDown(): void {
    for (const run of this.#runs.values()) run.shutDown();
  }
}

/** Job: ends runs of dead processes. Those that were charged are delivered; the others fail free of charge. */
export async function failOrphans(context: AppContext): Promise<void> {
  const store = new ResponseStore(context);
  const orphans = await context.db
    .collection('responses')
    .find({ alive_until: { lt: context.now() } }, { sort: [['alive_until', 1]], limit: 1000 });
  for (const orphan of orphans) {
    try {
      await endOrphan(context, store, orphan);
    } catch (failure) {
      context.log.error({ err: failure, response: orphan.id }, 'a response whose process is gone could not be ended');
    }
  }
  // Of processes that died between storing an end and removing its temporary copy.
  const copied = await context.db.collection('responses').find({ has_ending: 1 }, { limit: 1000 });
  for (const { id, alive_until: aliveUntil } of copied) if (aliveUntil === undefined) await store.removeEnding(id);
}

/** Ends an orphan: delivers it if it was charged, else fails it. Waits while the charge is undecided. */
async function endOrphan(context: AppContext, store: ResponseStore, record: StoredResponseRecord): Promise<void> {
  const { id, alive_until: aliveUntil } = record;
  if (aliveUntil === undefined) return;
  const charge = await chargeOfEnding(context, record);
  if (charge === 'open') return;
  const responses = context.db.collection('responses');
  // One process claims the orphan; if that dies as well, the next one takes over when the claim expires.
  const claim = context.now() + claimMs;
  if ((await responses.patch({ id, alive_until: aliveUntil }, { set: { alive_until: claim } })) === null) return;
  const delivered = charge === 'done' ? await deliveredEnd(context, store, record) : null;
  // A stalled process may have stored the end meanwhile, and removed the temporary copy.
  if (delivered === null && (await responses.get(id))?.alive_until !== claim) return;
  const end = delivered ?? (await failedEnd(context, store, record));
  const ended: Write = { patch: end.patch, of: 'responses', where: { id, alive_until: claim } };
  const results = await context.db.write([...end.writes, ended]);
  await store.removeVersion(record);
  await store.removeEnding(id);
  if (results.at(-1) === true) await store.holdings.added(record.user_id, { count: 0, bytes: end.bytes - record.bytes });
}

/** Returns `none` if the response was not charged and will not be, `open` while that is undecided. */
async function chargeOfEnding(
  { db }: AppContext,
  { settling, alive_until: aliveUntil = 0 }: StoredResponseRecord,
): Promise<'done' | 'none' | 'open'> {
  if (settling === undefined) return 'none';
  // In this order: a process whose books are closed has written all its rows before.
  const owner = await db.collection('processes').get(settling.process);
  const { paid, isCertain } = await chargeOf(db, settling);
  if (paid !== null) return isCertain ? 'done' : 'open';
  if (owner === null || owner.state === 'settled') return 'none';
  // If the process is alive for so long after, the run has ended but failed to record its end.
  return owner.state === 'alive' && owner.heartbeat_at - aliveUntil > settlingMs ? 'none' : 'open';
}

interface OrphanEnd {
  /** Writes that must precede the record's change. */
  writes: readonly Write[];
  patch: Patch<StoredResponseRecord>;
  bytes: number;
}

/** Returns null if the stored end cannot be read. */
async function deliveredEnd(context: AppContext, store: ResponseStore, record: StoredResponseRecord): Promise<OrphanEnd | null> {
  const { id, user_id: userId, expires_at: expiresAt } = record;
  const ending = await store.endingIn(record);
  const response = ending?.events.at(-1)?.['response'];
  if (ending === null || !isObject(response)) return null;
  const input = (await store.itemsIn(record)).slice(0, record.input_count);
  const inputText = JSON.stringify(input);
  const parts = record.chain_parts === undefined ? undefined : Math.max(0, record.chain_parts - jsonSize(inputText).parts);
  const bytesBefore = Math.max(0, record.chain_bytes - Buffer.byteLength(inputText));
  const chain = { previous: record.previous, count: record.previous_count, bytes: bytesBefore, parts };
  const { rest, patch, bytes } = await store.ended({ response, userId, input, chain });
  // Called to remove partial events of the dead process.
  await lastNumberOf(context, id);
  const events = await eventWrites(context, { responseId: id, userId, expiresAt, events: ending.events, isLast: true });
  const added = await additionOf(context, store, { ending, items: [...input, ...itemsOf(response['output'])] });
  return { writes: [...rest, ...events, ...added], patch, bytes };
}

interface Addition {
  ending: Pick<StoredEnding, 'conversation'>;
  items: readonly Item[];
}

/** Returns the writes that add the items to the conversation; none if another call holds the lock, or they were added. */
async function additionOf(context: AppContext, store: ResponseStore, { ending, items }: Addition): Promise<readonly Write[]> {
  const { conversation } = ending;
  if (conversation === null) return [];
  const conversations = new ConversationStore(context, store);
  const { id, holder } = conversation;
  const held = await context.db.collection('conversations').get(id);
  return held?.locked_by === holder ? (await conversations.addition(held, holder, items)).writes : [];
}

async function failedEnd(context: AppContext, store: ResponseStore, record: StoredResponseRecord): Promise<OrphanEnd> {
  const { id, user_id: userId, expires_at: expiresAt } = record;
  const reported = await store.responseIn(record);
  const input = (await store.itemsIn(record)).slice(0, record.input_count);
  const error = { code: 'server_error', message: 'The server that wrote this response has ended.' };
  const response: Json = { ...reported, status: 'failed', error, output: [] };
  const { rest, patch } = await store.ended({ response, userId, input, chain: null });
  const event = { type: 'response.failed', sequence_number: (await lastNumberOf(context, id)) + 1, response };
  const events = await eventWrites(context, { responseId: id, userId, expiresAt, events: [event], isLast: true });
  // The items are unchanged, and so is their size within a chain.
  return { writes: [...rest, ...events], patch: { ...patch, set: { ...patch.set, chain_bytes: record.chain_bytes } }, bytes: record.bytes };
}
