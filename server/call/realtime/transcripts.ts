// What is written down of the sound of a session, beside its conversation: by a model of its own, at the price of that one. Each transcription is a
// call that is reserved for before its sound goes on. https://platform.openai.com/docs/guides/realtime-transcription
import { AppError } from '#shared/errors.ts';
import type { MeteredUsage } from '#server/call/settlement/metered-usage.ts';
import { settleCall } from '#server/call/settlement/settle-call.ts';
import type { EndReason } from '#server/call/call-end.ts';
import { realtimeEndpoint } from '#server/call/endpoints.ts';
import { noteAnswered } from '#server/call/routing/note-attempt.ts';
import { elapsed, releaseCall } from '#server/call/running-call.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import { offersModel } from '#server/exchange/channel-index.ts';
import type { ChannelWay } from '#server/exchange/find-route.ts';
import { heardUsage, openHeard, shortestSeconds } from './transcription-call.ts';
import { beginTurn, sentBy } from './open-turn.ts';
import type { TurnsOf } from './turns.ts';

type Json = Readonly<Record<string, unknown>>;

interface HeardSound {
  call: RunningCall;
  way: ChannelWay;
  /** Reserved for. */
  seconds: number;
}

/** A sound that is a part of the conversation and whose text has not come to its end. */
interface WrittenSound {
  heard: HeardSound;
  itemId: unknown;
  /** As long as it was at the most. */
  seconds: number;
  isSeen: boolean;
}

/** Who writes down what is heard; a null model: nobody does. */
interface Writer {
  model: string | null;
  way: ChannelWay | null;
  spare: HeardSound | null;
}

/** Changes that a client may ask for and that its provider has not confirmed. */
const mostChanges = 16;

export class Transcripts {
  readonly #of: TurnsOf;
  /** As the provider has said. */
  #now: Writer = { model: null, way: null, spare: null };
  /** Asked for and not confirmed, in order: what is committed before is written by the one before. */
  #next: Writer[] = [];
  #last: Pick<Writer, 'model' | 'way'> | null = null;
  #pending: WrittenSound[] = [];
  /** Reserved when the session was asked for, until it is known who writes. */
  #first: RunningCall | null;
  /** Text has come of sound that is no part of the conversation yet: some write while somebody speaks. */
  #isAhead = false;
  #isOver = false;

  /** @param first null: the session is not for this */
  constructor(of: TurnsOf, first: RunningCall | null = null) {
    this.#of = of;
    this.#first = first;
  }

  /** Nothing waits for its text. */
  get isIdle(): boolean {
    return this.#pending.length === 0;
  }

  get model(): string | null {
    return this.#asked.model;
  }

  /** Which model writes; null: none. What comes back is what its provider calls it. @throws {AppError} where it cannot be used or paid for */
  async use(model: string | null): Promise<string | null> {
    const asked = this.#asked;
    if (model === asked.model) return asked.way?.upstreamModel ?? null;
    if (this.#next.length >= mostChanges) throw new AppError('too_many_turns', {}, { retryAfter: 1 });
    if (model === null) {
      this.#next.push({ model: null, way: null, spare: null });
      return null;
    }
    const { channel } = this.#of;
    const way = channel.way(realtimeEndpoint.dialect, 'transcriptions', model);
    if (way === null || !offersModel(channel, model))
      throw new AppError('model_not_found', { model }, { field: 'session.audio.input.transcription.model' });
    this.#next.push({ model, way, spare: this.#takeFirst(model, way) ?? (await this.#open({ model, way }, shortestSeconds)) });
    return way.upstreamModel;
  }

  #takeFirst(model: string, way: ChannelWay): HeardSound | null {
    const call = this.#first;
    this.#first = null;
    if (call?.model === model) return { call, way, seconds: shortestSeconds };
    if (call !== null) releaseCall(call);
    return null;
  }

  /** The provider has said which model writes from now on, by its own name; undefined: it has taken a change and says nothing of it. */
  confirmed(upstreamModel: string | null | undefined): void {
    const nameOf = ({ way }: Writer) => way?.upstreamModel ?? null;
    if (nameOf(this.#now) === upstreamModel) return;
    const at = upstreamModel === undefined ? 0 : this.#next.findIndex((writer) => nameOf(writer) === upstreamModel);
    const next = this.#next[at];
    if (next === undefined) return;
    for (const past of [this.#now, ...this.#next.slice(0, at)]) release(past);
    this.#now = next;
    this.#next = this.#next.slice(at + 1);
    if (next.model !== null) this.#last = next;
  }

  /** So much sound waits to be written down, by whoever does when it is committed. @throws {AppError} */
  async cover(seconds: number): Promise<void> {
    for (const writer of [this.#now, ...this.#next]) {
      const { model, way, spare } = writer;
      if (model === null || way === null || (spare !== null && spare.seconds >= seconds)) continue;
      const next = await this.#open({ model, way }, Math.max(shortestSeconds, seconds * 2));
      release(writer);
      writer.spare = next;
    }
  }

  /** What was heard is to be written down. @throws {AppError} where the next one cannot be paid for */
  async committed(itemId: unknown, seconds: number): Promise<void> {
    const writer = this.#now;
    const { model, way } = writer;
    if (model === null || way === null) return;
    const heard = writer.spare ?? (await this.#open({ model, way }, Math.max(shortestSeconds, seconds)));
    writer.spare = null;
    this.#pending.push({ heard, itemId, seconds, isSeen: this.#isAhead });
    this.#isAhead = false;
    await beginTurn(heard.call);
    writer.spare = await this.#open({ model, way }, shortestSeconds);
  }

  /** Some of the text has come. */
  seen(itemId: unknown): void {
    const written = this.#pending.find((pending) => pending.itemId === itemId);
    if (written === undefined) this.#isAhead = true;
    else written.isSeen = true;
  }

  /** So much sound will not become a part of the conversation. What has been written of it is charged. */
  async dropped(seconds: number): Promise<void> {
    const { spare } = this.#now;
    if (!this.#isAhead || spare === null) return;
    this.#isAhead = false;
    this.#now.spare = null;
    await beginTurn(spare.call);
    await this.#settle(spare, 'completed', heardUsage(spare.call, {}, seconds));
  }

  /** It has been written. Resolves when its charge is durable. @throws {AppError} where nobody pays for it */
  async completed(event: Json): Promise<void> {
    const [written] = this.#pending.splice(this.#placeOf(event['item_id']), 1);
    const heard = written?.heard ?? (await this.#unexpected());
    if (heard !== null) await this.#settle(heard, 'completed', heardUsage(heard.call, event, written?.seconds ?? heard.seconds));
  }

  failed(event: Json): void {
    const [written] = this.#pending.splice(this.#placeOf(event['item_id']), 1);
    if (written !== undefined) releaseCall(written.heard.call);
  }

  /**
   * The session is over. What its provider was at is charged where some of it has come, or where the client has left it.
   * @param waiting seconds of sound that are no part of the conversation yet
   */
  async cut(reason: EndReason, waiting: number): Promise<void> {
    this.#isOver = true;
    const { spare } = this.#now;
    if (this.#isAhead && spare !== null) {
      this.#now.spare = null;
      this.#pending.push({ heard: spare, itemId: undefined, seconds: waiting, isSeen: true });
    }
    if (this.#first !== null) releaseCall(this.#first);
    this.#first = null;
    for (const writer of [this.#now, ...this.#next]) release(writer);
    const pending = this.#pending;
    this.#pending = [];
    const settling: Promise<void>[] = [];
    for (const { heard, seconds, isSeen } of pending) {
      if (isSeen || reason === 'client_disconnected') settling.push(this.#settle(heard, reason, heardUsage(heard.call, {}, seconds)));
      else releaseCall(heard.call);
    }
    await Promise.all(settling);
  }

  get #asked(): Writer {
    return this.#next.at(-1) ?? this.#now;
  }

  #placeOf(itemId: unknown): number {
    return Math.max(
      0,
      this.#pending.findIndex((written) => written.itemId === itemId),
    );
  }

  /** Nothing was known of it: it is paid like any other all the same. */
  async #unexpected(): Promise<HeardSound | null> {
    const { spare } = this.#now;
    this.#now.spare = null;
    if (spare !== null) return spare;
    const { model = null, way = null } = this.#last ?? this.#next[0] ?? {};
    return model === null || way === null ? null : this.#open({ model, way }, shortestSeconds);
  }

  async #settle({ call, way }: HeardSound, reason: EndReason, usage: MeteredUsage): Promise<void> {
    const { channel } = this.#of;
    const record = { channel: channel.id, channel_name: channel.name, status: 200, start_ms: 0, end_ms: elapsed(call) };
    call.attempts.push(record);
    noteAnswered(call, { channel, record }, reason);
    await settleCall(call, { reason, channel, request: sentBy(call, way), usage, firstByteMs: undefined });
  }

  async #open({ model, way }: { model: string; way: ChannelWay }, seconds: number): Promise<HeardSound> {
    const call = await openHeard(this.#of, model, seconds);
    if (!this.#isOver) return { call, way, seconds };
    releaseCall(call);
    throw new AppError('shutting_down');
  }
}

function release(writer: Writer): void {
  const { spare } = writer;
  writer.spare = null;
  if (spare !== null) releaseCall(spare.call);
}
