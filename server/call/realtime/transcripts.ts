// Meters the transcription of a session's audio, which runs in parallel with the conversation, by another model at its price. Each
// transcription is a call that is reserved before its audio is forwarded. https://platform.openai.com/docs/guides/realtime-transcription
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
  /** Seconds reserved. */
  seconds: number;
}

/** Committed audio whose transcription is not complete. */
interface PendingTranscription {
  received: InputAudio;
  itemId: unknown;
  /** Maximum length of the audio. */
  seconds: number;
  isSeen: boolean;
}

/** Transcription model of the session; `model` is null if transcription is off. `spare`: reservation of the next transcription. */
interface TranscriptionModel {
  model: string | null;
  route: ChannelRoute | null;
  spare: InputAudio | null;
}

/** Maximum changes of the model that the provider has not confirmed. */
const mostChanges = 16;

export class Transcripts {
  readonly #of: TurnsOf;
  /** Model that the provider has confirmed. */
  #now: TranscriptionModel = { model: null, route: null, spare: null };
  /** Models requested and not confirmed, in order. Until then, committed audio is transcribed by the model before. */
  #next: TranscriptionModel[] = [];
  #last: Pick<TranscriptionModel, 'model' | 'route'> | null = null;
  #pending: PendingTranscription[] = [];
  /** Reservation from the opening of the session, until the transcription model is known. */
  #first: RunningCall | null;
  /** Whether text arrived of audio that is not committed: some models transcribe during the speech. */
  #isAhead = false;
  #isOver = false;

  /** @param first reservation of a transcription session; null for other sessions */
  constructor(of: TurnsOf, first: RunningCall | null = null) {
    this.#of = of;
    this.#first = first;
  }

  /** Whether no transcription is in progress. */
  get isIdle(): boolean {
    return this.#pending.length === 0;
  }

  get model(): string | null {
    return this.#requested.model;
  }

  /**
   * Requests a change of the transcription model, null to turn it off. Returns the provider's name of the model.
   * @throws {AppError} if the model cannot be used or paid for
   */
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

  /**
   * Called when the provider confirms a change.
   * @param upstreamModel provider's name of the model, null if transcription is off; undefined if the confirmation has none
   */
  confirmed(upstreamModel: string | null | undefined): void {
    const nameOf = ({ route }: TranscriptionModel) => route?.upstreamModel ?? null;
    if (nameOf(this.#now) === upstreamModel) return;
    const at = upstreamModel === undefined ? 0 : this.#next.findIndex((writer) => nameOf(writer) === upstreamModel);
    const next = this.#next[at];
    if (next === undefined) return;
    for (const past of [this.#now, ...this.#next.slice(0, at)]) release(past);
    this.#now = next;
    this.#next = this.#next.slice(at + 1);
    if (next.model !== null) this.#last = next;
  }

  /**
   * Reserves for buffered audio, for each model that may transcribe it.
   * @throws {AppError}
   */
  async cover(seconds: number): Promise<void> {
    for (const writer of [this.#now, ...this.#next]) {
      const { model, route, spare } = writer;
      if (model === null || route === null || (spare !== null && spare.seconds >= seconds)) continue;
      const next = await this.#open({ model, route }, Math.max(shortestSeconds, seconds * 2));
      release(writer);
      writer.spare = next;
    }
  }

  /**
   * Starts the transcription of committed audio.
   * @throws {AppError} if the next one cannot be paid for
   */
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

  /** Called when text of a transcription arrives. */
  seen(itemId: unknown): void {
    const written = this.#pending.find((pending) => pending.itemId === itemId);
    if (written === undefined) this.#isAhead = true;
    else written.isSeen = true;
  }

  /** Called when buffered audio is cleared. If some of it was transcribed, it is charged. */
  async dropped(seconds: number): Promise<void> {
    const { spare } = this.#now;
    if (!this.#isAhead || spare === null) return;
    this.#isAhead = false;
    this.#now.spare = null;
    await beginTurn(spare.call);
    await this.#settle(spare, 'completed', transcriptionUsage(spare.call, {}, seconds));
  }

  /**
   * Ends a transcription. Resolves when its charge is durable.
   * @throws {AppError} if it cannot be paid for
   */
  async completed(event: Json): Promise<void> {
    const [written] = this.#pending.splice(this.#indexOf(event['item_id']), 1);
    const received = written?.received ?? (await this.#unexpected());
    if (received !== null)
      await this.#settle(received, 'completed', transcriptionUsage(received.call, event, written?.seconds ?? received.seconds));
  }

  failed(event: Json): void {
    const [written] = this.#pending.splice(this.#indexOf(event['item_id']), 1);
    if (written !== undefined) releaseCall(written.received.call);
  }

  /**
   * Ends the session. Transcriptions in progress are charged if some text has arrived, or if the client has disconnected.
   * @param waiting seconds of audio that are not committed
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

  get #requested(): TranscriptionModel {
    return this.#next.at(-1) ?? this.#now;
  }

  #indexOf(itemId: unknown): number {
    return Math.max(
      0,
      this.#pending.findIndex((written) => written.itemId === itemId),
    );
  }

  /** Returns a reservation for a transcription that was not announced, which is charged like any other. */
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

function release(writer: TranscriptionModel): void {
  const { spare } = writer;
  writer.spare = null;
  if (spare !== null) releaseCall(spare.call);
}
