// Runs one background response, from its first attempt to the stored result.
import type { AppContext } from '#server/context.ts';
import { DatabaseClosed, DatabaseUnavailable, type Patch } from '#server/db/collection.ts';
import type { Write } from '#server/db/database.ts';
import type { StoredResponseRecord } from '#server/db/records/stored-response.ts';
import type { UnwatchedCall } from '#server/call/conversation-source.ts';
import type { ClientBody } from '#server/call/stream/client-stream.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { eventsIn, eventWrites, numberOf } from './event-log.ts';
import type { Item } from './items.ts';
import { type Chain, type ResponseStore, statusOf, type StoredEnding } from './response-store.ts';
import type { Json } from './present-response.ts';

/** Interval and size at which events are written in batches. */
const gatherMs = 100;
const gatheredBytes = 256 * 1024;
/** Time without renewal after which a run is orphaned. */
export const aliveMs = 60_000;
/** Maximum duration of a run. */
const longestMs = 60 * 60_000;
/** Maximum attempts of a write and their interval; then the run is left as an orphan. */
const retries = 20;
const retryMs = 1_000;

const endings: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error']);
const failedText = 'The response has failed.';
/** Error messages of runs that end early. API callers see them, so they are not translated. */
const stopTexts = {
  cancelled: 'The response was cancelled.',
  too_long: 'The response took too long.',
  shutdown: 'The server that wrote this response is shutting down.',
};
type Stopped = keyof typeof stopTexts;

export interface ResponseAtWork {
  userId: number;
  /** As in `ObjectOwner`. */
  memberId?: number | undefined;
  /** The response before any output. */
  shell: Json;
  input: readonly Item[];
  chain: Chain | null;
  /** Returns further writes for the same transaction as the end. */
  ending(response: Json): Promise<readonly Write[]>;
  /** Conversation to add the response to; null for none. */
  conversation: StoredEnding['conversation'];
  /** Called at the end, whatever the result. */
  ended(): void;
}

interface RunParts extends ResponseAtWork {
  record: StoredResponseRecord;
  call: UnwatchedCall;
}

interface SealedEnd {
  /** Writes that must precede the record's change. */
  rest: readonly Write[];
  patch: Patch<StoredResponseRecord>;
  bytes: number;
  events: readonly Write[];
}

export class BackgroundRun implements ClientBody {
  readonly done: Promise<void>;
  readonly #context: AppContext;
  readonly #store: ResponseStore;
  readonly #parts: RunParts;
  #resolve: () => void = () => {};
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Final events, of any size, which are written with the record. */
  #last: Json[] = [];
  #gathering: NodeJS.Timeout | undefined;
  /** Serializes writes. */
  #writing: Promise<void> = Promise.resolve();
  #lastNumber = -1;
  #renewal: NodeJS.Timeout | undefined;
  #bound: NodeJS.Timeout | undefined;
  #why: Stopped | undefined;
  /** The end is being stored, or is stored: it will be charged and delivered. */
  #isSettling = false;
  #isOver = false;

  constructor(context: AppContext, store: ResponseStore, parts: RunParts) {
    this.#context = context;
    this.#store = store;
    this.#parts = parts;
    this.done = new Promise((resolve) => (this.#resolve = resolve));
  }

  start(): void {
    const { call } = this.#parts;
    this.#renewal = setInterval(() => this.#renew(), aliveMs / 3);
    this.#bound = setTimeout(() => this.#stopFor('too_long'), longestMs);
    this.#renewal.unref();
    this.#bound.unref();
    void call.run(this);
  }

  cancel(): void {
    this.#stopFor('cancelled');
  }

  /** Stops the run at shutdown. */
  shutDown(): void {
    this.#stopFor('shutdown');
  }

  #stopFor(why: Stopped): void {
    if (this.#isOver || this.#isSettling) return;
    this.#why ??= why;
    this.#parts.call.stop();
  }

  #renew(): void {
    const { id } = this.#parts.record;
    const renewed = this.#context.db
      .collection('responses')
      .patch({ id, alive_until: { exists: true } }, { set: { alive_until: this.#context.now() + aliveMs } });
    // A deleted response is cancelled. A failed renewal may succeed next time.
    renewed.then((record) => (record === null ? this.cancel() : undefined)).catch(() => {});
  }

  // Called by the stream.

  write(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#pending.push(chunk);
    this.#pendingBytes += chunk.length;
    if (this.#pendingBytes > gatheredBytes) this.#flush();
    else this.#gathering ??= setTimeout(() => this.#flush(), gatherMs);
  }

  flushHeaders(): void {}

  /**
   * Stores the end before the call is settled, if the response is complete.
   * @throws if it cannot be stored
   */
  async store(ending: Buffer): Promise<void> {
    this.#flush();
    const { events, isWhole } = this.#outcome([...this.#last, ...eventsIn(ending)]);
    if (this.#isOver || !isWhole) return;
    this.#isSettling = true;
    const { record, call, conversation } = this.#parts;
    let writes: Promise<Write[]> | undefined;
    const stored = this.#writing.then(() =>
      this.#retried(async () => {
        writes ??= this.#store.storeEnding(record, { requestId: call.requestId, events, conversation });
        await this.#context.db.write(await writes.catch((failure: unknown) => ((writes = undefined), Promise.reject(failure))));
      }, DatabaseUnavailable),
    );
    this.#writing = stored.then(() => {});
    if (await stored) return;
    this.#isSettling = false;
    throw new Error('The end of a response could not be stored');
  }

  end(): void {
    this.#finish();
  }

  cut(): void {
    this.#finish();
  }

  #take(): Json[] {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    const events = eventsIn(Buffer.concat(this.#pending));
    this.#pending = [];
    this.#pendingBytes = 0;
    return events;
  }

  #flush(): void {
    const taken = this.#take();
    const end = taken.findIndex(({ type }) => endings.has(type));
    const events = end < 0 ? taken : taken.slice(0, end);
    if (end >= 0) this.#last.push(...taken.slice(end));
    if (events.length === 0) return;
    const isFirst = this.#lastNumber < 0;
    this.#lastNumber = Math.max(this.#lastNumber, ...events.map(numberOf));
    const { record, userId } = this.#parts;
    this.#enqueue(async () => {
      const writes = await this.#eventWrites(events, false);
      // If this process was declared dead, another one has ended the response.
      const where = { id: record.id, user_id: userId, status: 'queued' } as const;
      const begun: Write = { patch: { set: { status: 'in_progress' } }, of: 'responses', where };
      await this.#context.db.write(isFirst ? [...writes, begun] : writes);
    });
  }

  #eventWrites(events: readonly Json[], isLast: boolean): Promise<Write[]> {
    const { record, userId } = this.#parts;
    return eventWrites(this.#context, { responseId: record.id, userId, expiresAt: record.expires_at, events, isLast });
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#renewal);
    clearTimeout(this.#bound);
    const { events, response } = this.#outcome([...this.#last, ...this.#take()]);
    // Sealed once, so that retries write identical records.
    let end: Promise<SealedEnd> | undefined;
    this.#enqueue(async () => {
      end ??= this.#sealEnd(events, response);
      // Failed sealing is retried.
      await this.#writeEnd(await end.catch((failure: unknown) => ((end = undefined), Promise.reject(failure))), response);
    });
    void this.#writing.finally(() => {
      this.#parts.ended();
      this.#resolve();
    });
  }

  /** Events left to write, and the final response. */
  #outcome(events: Json[]): { events: Json[]; response: Json; isWhole: boolean } {
    const last = events.at(-1);
    const isWhole = this.#why === undefined && (last?.['type'] === 'response.completed' || last?.['type'] === 'response.incomplete');
    if (isWhole && isObject(last?.['response'])) return { events, response: last['response'], isWhole };
    const { shell } = this.#parts;
    const reported = events.filter(({ type }) => type !== 'error' && type !== 'response.failed');
    const failed = events.find(({ type }) => type === 'response.failed')?.['response'];
    const error = isObject(failed) && isObject(failed['error']) ? failed['error'] : undefined;
    const status = this.#why === 'cancelled' ? 'cancelled' : 'failed';
    const words = error?.['message'];
    const code = this.#why === undefined ? (error?.['code'] ?? 'server_error') : 'server_error';
    const message = this.#why !== undefined ? stopTexts[this.#why] : typeof words === 'string' ? words : failedText;
    const response = { ...shell, status, output: [], error: status === 'cancelled' ? null : { code, message } };
    const sequence_number = Math.max(this.#lastNumber, ...reported.map(numberOf)) + 1;
    return { events: [...reported, { type: `response.${status}`, sequence_number, response }], response, isWhole: false };
  }

  async #sealEnd(events: readonly Json[], response: Json): Promise<SealedEnd> {
    const { userId, input, chain } = this.#parts;
    return { ...(await this.#store.ended({ response, userId, input, chain })), events: await this.#eventWrites(events, true) };
  }

  async #writeEnd({ rest, patch, bytes, events }: SealedEnd, response: Json): Promise<void> {
    const { record, userId } = this.#parts;
    const { id } = record;
    // Nothing is written for a deleted response, nor again after a write that succeeded while its outcome was unknown.
    if ((await this.#store.find({ userId }, id))?.alive_until === undefined) return;
    const status = statusOf(response['status']);
    const isAnswered = status === 'completed' || status === 'incomplete';
    const ending = isAnswered ? await this.#parts.ending(response) : [];
    const ended: Write = { patch, of: 'responses', where: { id, alive_until: { exists: true } } };
    await this.#context.db.write([...rest, ...events, ...ending, ended]);
    await this.#store.removeVersion(record);
    if (this.#isSettling) await this.#store.removeEnding(id);
    await this.#store.holdings.added(userId, { count: 0, bytes: bytes - record.bytes });
  }

  #enqueue(work: () => Promise<void>): void {
    this.#writing = this.#writing.then(() => this.#retried(work)).then(() => {});
  }

  /**
   * Retries the work until it succeeds, `retries` times at most; returns whether it succeeded.
   * @param awaited class of failures after which the work is retried without a limit
   */
  async #retried(work: () => Promise<void>, awaited?: typeof DatabaseUnavailable): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await work();
        return true;
      } catch (failure) {
        this.#context.log.warn({ response: this.#parts.record.id, reason: String(failure) }, 'a response could not be kept yet');
        const isAwaited = awaited !== undefined && failure instanceof awaited;
        if (failure instanceof DatabaseClosed || (attempt >= retries && !isAwaited)) return false;
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }
}
