// Responses that go on without their callers: how many of a user at once and for how long, and what becomes of those whose process dies.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import type { Patch } from '#server/db/collection.ts';
import type { Write } from '#server/db/database.ts';
import type { StoredResponseRecord } from '#server/db/records/stored-response.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { jsonSize } from '#server/framing/part-budget.ts';
import type { UnwatchedCall } from '#server/call/conversation-source.ts';
import { chargeOf } from '#server/tasks/task-charge.ts';
import { aliveMs, BackgroundRun } from './background-run.ts';
import type { ResponseAtWork } from './background-run.ts';
import { ConversationStore } from './conversation-store.ts';
import { eventWrites, lastNumberOf } from './event-log.ts';
import { removeResponse } from './holdings.ts';
import { itemsOf } from './items.ts';
import type { Item } from './items.ts';
import { ResponseStore } from './response-store.ts';
import type { StoredEnding } from './response-store.ts';
import type { Json } from './present-response.ts';

/** How long a caller waits for the end of what was called off. */
const cancelMs = 5_000;
const lookMs = 50;
/** Whoever ends what another process has left is given so long. */
const claimMs = 30_000;
/** A settlement of a living process takes less. */
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

  /** From now on it goes on by itself. @throws {AppError} `too_many_background` */
  async begin(work: ResponseAtWork, call: UnwatchedCall): Promise<void> {
    const { userId, shell, input, chain } = work;
    const { record, rest } = await this.#store.recordOf({ response: shell, userId, input, chain });
    await this.#insert({ ...record, is_background: true, alive_until: this.#context.now() + aliveMs }, rest);
    await this.#store.holdings.added(userId, { count: 1, bytes: record.bytes });
    const run = new BackgroundRun(this.#context, this.#store, { ...work, record, call });
    this.#runs.set(record.id, run);
    this.#context.waitUntil(run.done.finally(() => this.#runs.delete(record.id)));
    run.start();
  }

  /** In the first place of its user that is free. What belongs before the record is harmless without it. */
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
        // Somebody else has it now.
        if (!(failure instanceof UniqueConflict)) throw failure;
      }
    }
    if (free.length > 0) await removeResponse(this.#context, record.id);
    throw new AppError('too_many_background', { count: most }, { retryAfter: 10 });
  }

  /** Calls it off, wherever it runs, and waits a moment for its end: once, however many ask for that. */
  async cancel(userId: number, id: string): Promise<StoredResponseRecord | null> {
    // What is not this user's is not called off, nor waited for.
    const record = await this.find(userId, id);
    if (record?.place === undefined) return record;
    const cancelling = this.#cancelling.get(id) ?? this.#cancel(userId, id).finally(() => this.#cancelling.delete(id));
    this.#cancelling.set(id, cancelling);
    return cancelling;
  }

  async #cancel(userId: number, id: string): Promise<StoredResponseRecord | null> {
    const end = performance.now() + cancelMs;
    await this.#context.changes.announce('cancelled_response', id);
    for (;;) {
      const record = await this.find(userId, id);
      if (record?.place === undefined || performance.now() > end) return record;
      await new Promise((resolve) => setTimeout(resolve, lookMs));
    }
  }

  /** As `ResponseStore.find`; one whose process is gone has failed. */
  async find(userId: number, id: string): Promise<StoredResponseRecord | null> {
    const record = await this.#store.find(userId, id);
    if (record?.alive_until === undefined || record.alive_until > this.#context.now()) return record;
    await endOrphan(this.#context, this.#store, record);
    return this.#store.find(userId, id);
  }

  /** The process is about to end. */
  shutDown(): void {
    for (const run of this.#runs.values()) run.shutDown();
  }
}

/** A job: processes that are gone have left them. What they had settled is delivered; the rest has failed and costs nothing. */
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
}

/** Ends what its process has left: delivered where its charge is found, else failed. A charge that is not decided yet is waited for. */
async function endOrphan(context: AppContext, store: ResponseStore, record: StoredResponseRecord): Promise<void> {
  const { id, alive_until: aliveUntil } = record;
  if (aliveUntil === undefined) return;
  const charge = await chargeOfEnding(context, record);
  if (charge === 'open') return;
  const responses = context.db.collection('responses');
  // Of several who find it one ends it; should that die as well, the next one does so when the claim is over.
  const claim = context.now() + claimMs;
  if ((await responses.patch({ id, alive_until: aliveUntil }, { set: { alive_until: claim } })) === null) return;
  const delivered = charge === 'done' ? await deliveredEnd(context, store, record) : null;
  // A process that had only stood still may have told the end meanwhile, and then removed what it had stored of it.
  if (delivered === null && (await responses.get(id))?.alive_until !== claim) return;
  const end = delivered ?? (await failedEnd(context, store, record));
  const ended: Write = { patch: end.patch, of: 'responses', where: { id, alive_until: claim } };
  const results = await context.db.write([...end.writes, ended]);
  await store.removeVersion(record);
  await store.removeEnding(id);
  if (results.at(-1) === true) await store.holdings.added(record.user_id, { count: 0, bytes: end.bytes - record.bytes });
}

/** `none`: it was not charged and will not be. */
async function chargeOfEnding(
  { db }: AppContext,
  { settling, alive_until: aliveUntil = 0 }: StoredResponseRecord,
): Promise<'done' | 'none' | 'open'> {
  if (settling === undefined) return 'none';
  // In this order: a process that has closed its books in between has written all its rows before.
  const owner = await db.collection('processes').get(settling.process);
  const { paid, isCertain } = await chargeOf(db, settling);
  if (paid !== null) return isCertain ? 'done' : 'open';
  if (owner === null || owner.state === 'settled') return 'none';
  // Of a process that lives the run has ended, and could not say so.
  return owner.state === 'alive' && owner.heartbeat_at - aliveUntil > settlingMs ? 'none' : 'open';
}

interface OrphanEnd {
  /** What belongs before the record's change. */
  writes: readonly Write[];
  patch: Patch<StoredResponseRecord>;
  bytes: number;
}

/** Null: what was stored of the end cannot be read. */
async function deliveredEnd(context: AppContext, store: ResponseStore, record: StoredResponseRecord): Promise<OrphanEnd | null> {
  const { id, user_id: userId, expires_at: expiresAt } = record;
  const ending = await store.endingIn(record);
  const response = ending?.events.at(-1)?.['response'];
  if (ending === null || !isObject(response)) return null;
  const input = (await store.itemsIn(record)).slice(0, record.input_count);
  const own = JSON.stringify(input);
  const parts = record.chain_parts === undefined ? undefined : Math.max(0, record.chain_parts - jsonSize(own).parts);
  const bytesBefore = Math.max(0, record.chain_bytes - Buffer.byteLength(own));
  const chain = { previous: record.previous, count: record.previous_count, bytes: bytesBefore, parts };
  const { rest, patch, bytes } = await store.ended({ response, userId, input, chain });
  // What the dead process wrote of it is taken back.
  await lastNumberOf(context, id);
  const events = await eventWrites(context, { responseId: id, userId, expiresAt, events: ending.events, isLast: true });
  const added = await additionOf(context, store, { ending, items: [...input, ...itemsOf(response['output'])] });
  return { writes: [...rest, ...events, ...added], patch, bytes };
}

interface Addition {
  ending: Pick<StoredEnding, 'conversation'>;
  items: readonly Item[];
}

/** None where its lock is another call's, or it was added already. */
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
  // Its items are what they were, and so is what they take of a conversation.
  return { writes: [...rest, ...events], patch: { ...patch, set: { ...patch.set, chain_bytes: record.chain_bytes } }, bytes: record.bytes };
}
