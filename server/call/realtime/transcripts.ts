// Transcription of a session's audio, in parallel with its conversation: by a separate model, at the price of that one. Each transcription is a call
// that is reserved for before its audio is passed on. https://platform.openai.com/docs/guides/realtime-transcription
import { AppError } from '#shared/errors.ts';
import type { MeteredUsage } from '#server/call/settlement/metered-usage.ts';
import { settleCall } from '#server/call/settlement/settle-call.ts';
import type { EndReason } from '#server/call/call-end.ts';
import { realtimeEndpoint } from '#server/call/endpoints.ts';
import { noteAnswered } from '#server/call/routing/note-attempt.ts';
import { elapsed, releaseCall, type RunningCall } from '#server/call/running-call.ts';
import { offersModel } from '#server/exchange/channel-index.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';
import { transcriptionUsage, openTranscription, shortestSeconds } from './transcription-call.ts';
import { beginTurn, sentBy } from './open-turn.ts';
import type { TurnsOf } from './turns.ts';

type Json = Readonly<Record<string, unknown>>;

interface InputAudio {
  call: RunningCall;
  route: ChannelRoute;
  /** Reserved for. */
  seconds: number;
}

/** A sound that is a part of the conversation and whose text has not come to its end. */
interface WrittenSound {
  received: InputAudio;
  itemId: unknown;
  /** As long as it was at the most. */
  seconds: number;
  isSeen: boolean;
}

/** Transcription model of the session; a null model: none. */
interface Writer {
  model: string | null;
  route: ChannelRoute | null;
  spare: InputAudio | null;
}

/** Changes that a client may request and that its provider has not confirmed. */
const mostChanges = 16;

export class Transcripts {
  readonly #of: TurnsOf;
  /** As the provider has said. */
  #now: Writer = { model: null, route: null, spare: null };
  /** Requested and not confirmed, in order: audio that is committed before is transcribed by the one before. */
  #next: Writer[] = [];
  #last: Pick<Writer, 'model' | 'route'> | null = null;
  #pending: WrittenSound[] = [];
  /** Reserved when the session was requested, until the transcription model is known. */
  #first: RunningCall | null;
  /** Text has arrived of audio that is no part of the conversation yet: some models transcribe during the speech. */
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
    return this.#requested.model;
  }

  /** Which model writes; null: none. What comes back is what its provider calls it. @throws {AppError} where it cannot be used or paid for */
  async use(model: string | null): Promise<string | null> {
    const requested = this.#requested;
    if (model === requested.model) return requested.route?.upstreamModel ?? null;
    if (this.#next.length >= mostChanges) throw new AppError('too_many_turns', {}, { retryAfter: 1 });
    if (model === null) {
      this.#next.push({ model: null, route: null, spare: null });
      return null;
    }
    const { channel } = this.#of;
    const route = channel.route(realtimeEndpoint.dialect, 'transcriptions', model);
    if (route === null || !offersModel(channel, model))
      throw new AppError('model_not_found', { model }, { field: 'session.audio.input.transcription.model' });
    this.#next.push({ model, route, spare: this.#takeFirst(model, route) ?? (await this.#open({ model, route }, shortestSeconds)) });
    return route.upstreamModel;
  }

  #takeFirst(model: string, route: ChannelRoute): InputAudio | null {
    const call = this.#first;
    this.#first = null;
    if (call?.model === model) return { call, route, seconds: shortestSeconds };
    if (call !== null) releaseCall(call);
    return null;
  }

  /** The provider has said which model writes from now on, by its own name; undefined: it has taken a change and says nothing of it. */
  confirmed(upstreamModel: string | null | undefined): void {
    const nameOf = ({ route }: Writer) => route?.upstreamModel ?? null;
    if (nameOf(this.#now) === upstreamModel) return;
    const at = upstreamModel === undefined ? 0 : this.#next.findIndex((writer) => nameOf(writer) === upstreamModel);
    const next = this.#next[at];
    if (next === undefined) return;
    for (const past of [this.#now, ...this.#next.slice(0, at)]) release(past);
    this.#now = next;
    this.#next = this.#next.slice(at + 1);
    if (next.model !== null) this.#last = next;
  }

  /** Reserves for so many seconds of pending audio, for each model that may transcribe them. @throws {AppError} */
  async cover(seconds: number): Promise<void> {
    for (const writer of [this.#now, ...this.#next]) {
      const { model, route, spare } = writer;
      if (model === null || route === null || (spare !== null && spare.seconds >= seconds)) continue;
      const next = await this.#open({ model, route }, Math.max(shortestSeconds, seconds * 2));
      release(writer);
      writer.spare = next;
    }
  }

  /** Starts the transcription of committed audio. @throws {AppError} if the next one cannot be paid for */
  async committed(itemId: unknown, seconds: number): Promise<void> {
    const writer = this.#now;
    const { model, route } = writer;
    if (model === null || route === null) return;
    const received = writer.spare ?? (await this.#open({ model, route }, Math.max(shortestSeconds, seconds)));
    writer.spare = null;
    this.#pending.push({ received, itemId, seconds, isSeen: this.#isAhead });
    this.#isAhead = false;
    await beginTurn(received.call);
    writer.spare = await this.#open({ model, route }, shortestSeconds);
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
    await this.#settle(spare, 'completed', transcriptionUsage(spare.call, {}, seconds));
  }

  /** Ends a transcription. Resolves when its charge is durable. @throws {AppError} if it cannot be paid for */
  async completed(event: Json): Promise<void> {
    const [written] = this.#pending.splice(this.#placeOf(event['item_id']), 1);
    const received = written?.received ?? (await this.#unexpected());
    if (received !== null)
      await this.#settle(received, 'completed', transcriptionUsage(received.call, event, written?.seconds ?? received.seconds));
  }

  failed(event: Json): void {
    const [written] = this.#pending.splice(this.#placeOf(event['item_id']), 1);
    if (written !== undefined) releaseCall(written.received.call);
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
      this.#pending.push({ received: spare, itemId: undefined, seconds: waiting, isSeen: true });
    }
    if (this.#first !== null) releaseCall(this.#first);
    this.#first = null;
    for (const writer of [this.#now, ...this.#next]) release(writer);
    const pending = this.#pending;
    this.#pending = [];
    const settling: Promise<void>[] = [];
    for (const { received, seconds, isSeen } of pending) {
      if (isSeen || reason === 'client_disconnected')
        settling.push(this.#settle(received, reason, transcriptionUsage(received.call, {}, seconds)));
      else releaseCall(received.call);
    }
    await Promise.all(settling);
  }

  get #requested(): Writer {
    return this.#next.at(-1) ?? this.#now;
  }

  #placeOf(itemId: unknown): number {
    return Math.max(
      0,
      this.#pending.findIndex((written) => written.itemId === itemId),
    );
  }

  /** Nothing was known of it: it is paid like any other all the same. */
  async #unexpected(): Promise<InputAudio | null> {
    const { spare } = this.#now;
    this.#now.spare = null;
    if (spare !== null) return spare;
    const { model = null, route = null } = this.#last ?? this.#next[0] ?? {};
    return model === null || route === null ? null : this.#open({ model, route }, shortestSeconds);
  }

  async #settle({ call, route }: InputAudio, reason: EndReason, usage: MeteredUsage): Promise<void> {
    const { channel } = this.#of;
    const record = { channel: channel.id, channel_name: channel.name, status: 200, start_ms: 0, end_ms: elapsed(call) };
    call.attempts.push(record);
    noteAnswered(call, { channel, record }, reason);
    await settleCall(call, { reason, channel, request: sentBy(call, route), usage, firstByteMs: undefined });
  }

  async #open({ model, route }: { model: string; route: ChannelRoute }, seconds: number): Promise<InputAudio> {
    const call = await openTranscription(this.#of, model, seconds);
    if (!this.#isOver) return { call, route, seconds };
    releaseCall(call);
    throw new AppError('shutting_down');
  }
}

function release(writer: Writer): void {
  const { spare } = writer;
  writer.spare = null;
  if (spare !== null) releaseCall(spare.call);
}
