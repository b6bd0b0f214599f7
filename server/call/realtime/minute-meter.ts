// Meter of a session that is priced by the minute. Each minute is reserved before it begins and charged when it ends, the last
// one by its seconds. The duration is the time for which the session is open, or the length of its audio if that is longer, so
// that an hour of audio is not transferred for the price of a minute.
import { AppError } from '#shared/errors.ts';
import type { EndReason } from '#server/call/call-end.ts';
import type { MeteredUsage } from '#server/call/settlement/metered-usage.ts';
import { settleCall } from '#server/call/settlement/settle-call.ts';
import { noteAnswered } from '#server/call/routing/note-attempt.ts';
import { releaseCall } from '#server/call/running-call.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { isMinuteOurs, removeMinute, storeMinute } from './lost-minutes.ts';
import { minuteUsage, openMinute, type PaidMinute } from './minute-call.ts';
import { sentBy, type TurnOwner } from './open-turn.ts';

export interface MinutesOf extends TurnOwner {
  model: string;
  channel: PreparedChannel;
  route: ChannelRoute;
  /** Called when the session can no longer be paid for. */
  onUnpaid(failure: unknown): void;
}

interface StoredMinute extends PaidMinute {
  /** Whether the minute may have a record in the database. */
  stored: Promise<boolean>;
}

const notStored = Promise.resolve(false);

/** Seconds before the end of a minute at which the next one is reserved. */
const aheadSeconds = 10;

export class SessionMinutes {
  readonly #of: MinutesOf;
  #current: StoredMinute;
  #next: StoredMinute | null = null;
  /** Seconds of minutes that have ended. */
  #ended = 0;
  #startedAt: number | null = null;
  #received = 0;
  #spoken = 0;
  /** Seconds that text messages count as. */
  #written = 0;
  #opening: Promise<void> | null = null;
  /** Whether reserving the next minute ahead failed; it is tried again when the minute is due. */
  #isRefused = false;
  #isOver = false;

  constructor(of: MinutesOf, first: PaidMinute) {
    this.#of = of;
    this.#current = { ...first, stored: notStored };
  }

  /** Seconds used so far. */
  get used(): number {
    const elapsed = this.#startedAt === null ? 0 : Math.max(0, this.#of.services.context.now() - this.#startedAt) / 1000;
    return Math.max(elapsed, this.#received, this.#spoken) + this.#written;
  }

  get #paid(): number {
    return this.#ended + this.#current.seconds + (this.#next?.seconds ?? 0);
  }

  /** Called when the provider has opened the session, which costs nothing before; idempotent. */
  start(): void {
    if (this.#startedAt !== null || this.#isOver) return;
    const { context } = this.#of.services;
    this.#startedAt = context.now();
    const first = this.#current;
    this.#begin(first);
    first.stored = this.#store(first, { startsAt: context.now(), from: 0 }).then(
      () => true,
      (failure: unknown) => {
        context.log.warn({ reason: String(failure) }, 'the first minute of a session could not be recorded');
        return false;
      },
    );
    context.waitUntil(first.stored);
  }

  /** Called periodically. */
  tick(): void {
    if (this.#isOver || this.#startedAt === null) return;
    this.#advance();
    const left = this.#paid - this.used;
    if (this.#next === null && this.#opening === null && (left <= 0 || (left <= aheadSeconds && !this.#isRefused))) this.#reserveAhead();
  }

  /**
   * Adds seconds of audio from the client, or seconds that a text message counts as. Resolves when they are reserved.
   * @throws {AppError} if they cannot be; they are not counted then
   */
  async take({ received = 0, written = 0 }: { received?: number; written?: number }): Promise<void> {
    this.#received += received;
    this.#written += written;
    try {
      await this.#cover();
    } catch (failure) {
      // The message is not forwarded.
      this.#received -= received;
      this.#written -= written;
      throw failure;
    }
  }

  /** Adds seconds of audio from the provider. */
  spoke(seconds: number): void {
    this.#spoken += seconds;
  }

  /**
   * Ends the session. Resolves when all of it is charged.
   * @param reported seconds of the session that the provider reported; undefined if it reported none
   */
  async end(reason: EndReason, reported?: number): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    const used = this.#startedAt === null ? 0 : Math.ceil(reported ?? this.used);
    await this.#opening?.catch(() => {});
    if (this.#next !== null) this.#drop(this.#next);
    this.#next = null;
    const rest = used - this.#ended;
    // A client that disconnects has finished its session.
    const ended = reason === 'client_disconnected' ? 'completed' : reason;
    if (rest > 0)
      await this.#settle(this.#current, { seconds: rest, reason: ended, source: reported === undefined ? 'counted' : 'upstream' });
    else this.#drop(this.#current);
  }

  /** Charges minutes that are over, and begins the next one. */
  #advance(): void {
    while (this.#next !== null && this.used >= this.#ended + this.#current.seconds) {
      const ended = this.#current;
      const settling = this.#settle(ended, { seconds: ended.seconds, reason: 'completed', source: 'counted' });
      const { context } = this.#of.services;
      context.waitUntil(
        settling.catch((failure: unknown) => context.log.error({ err: failure }, 'a minute of a session could not be settled')),
      );
      this.#ended += ended.seconds;
      this.#current = this.#next;
      this.#next = null;
      this.#begin(this.#current);
    }
  }

  #begin({ call }: PaidMinute): void {
    call.createdAt = Math.floor(this.#of.services.context.now() / 1000);
  }

  async #cover(): Promise<void> {
    for (;;) {
      this.#advance();
      if (this.#isOver || this.used <= this.#paid) return;
      await (this.#opening ??= this.#open());
    }
  }

  #reserveAhead(): void {
    const opening = (this.#opening ??= this.#open());
    const done = opening.then(
      () => this.#advance(),
      (failure: unknown) => {
        this.#isRefused = true;
        if (!this.#isOver && this.used >= this.#paid) this.#of.onUnpaid(failure);
      },
    );
    this.#of.services.context.waitUntil(done);
  }

  async #open(): Promise<void> {
    try {
      const { context } = this.#of.services;
      const minute: StoredMinute = { ...(await openMinute(this.#of, this.#of.model)), stored: notStored };
      try {
        if (this.#isOver) throw new AppError('shutting_down');
        // Set before the write, because its outcome may be unknown.
        minute.stored = Promise.resolve(true);
        await this.#store(minute, { startsAt: context.now() + Math.max(0, this.#paid - this.used) * 1000, from: this.#paid });
      } catch (failure) {
        this.#drop(minute);
        throw failure;
      }
      this.#next = minute;
      this.#isRefused = false;
    } finally {
      this.#opening = null;
    }
  }

  #store({ call, seconds }: PaidMinute, { startsAt, from }: { startsAt: number; from: number }): Promise<void> {
    const { channel, route } = this.#of;
    const end = { reason: 'shutdown' as const, channel, request: sentBy(call, route), firstByteMs: undefined };
    return storeMinute(call, { startsAt, seconds, end: { ...end, usage: minuteUsage(seconds, from, 'counted') } });
  }

  /** Releases a minute that is not needed, free of charge. */
  #drop({ call, stored }: StoredMinute): void {
    releaseCall(call);
    const { context } = this.#of.services;
    context.waitUntil(stored.then((isStored) => (isStored ? removeMinute(context, call.requestId) : undefined)));
  }

  async #settle(
    { call, stored }: StoredMinute,
    { seconds, reason, source }: { seconds: number; reason: EndReason; source: MeteredUsage['promptSource'] },
  ): Promise<void> {
    const { channel, route, services } = this.#of;
    const from = this.#ended;
    const isStored = await stored;
    if (isStored && !(await isMinuteOurs(services.context, call.requestId))) {
      // Another process charges the minute.
      releaseCall(call);
      return;
    }
    call.startedAt = performance.now() - seconds * 1000;
    const record = { channel: channel.id, channel_name: channel.name, status: 200, start_ms: 0, end_ms: 0 };
    call.attempts.push(record);
    noteAnswered(call, { channel, record }, reason);
    const usage = minuteUsage(seconds, from, source);
    await settleCall(call, { reason, channel, request: sentBy(call, route), usage, firstByteMs: undefined });
    if (isStored) await removeMinute(services.context, call.requestId);
  }
}
