// What is written down of the sound of a session, beside its conversation: by a model of its own, at the price of that one. Each transcription is a
// call that is reserved for before its sound goes on. https://platform.openai.com/docs/guides/realtime-transcription
import { AppError } from '#shared/errors.ts';
import { noTokens } from '#shared/token-usage.ts';
import { heardTokens, isByTokens, minutesOf, mostWritten } from '#server/calls/audio/heard-sound.ts';
import { readTranscriptUsage } from '#server/calls/audio/transcript-usage.ts';
import { heardBody, heardContent, realtimeClient } from '#server/calls/realtime/realtime-client.ts';
import { callKinds } from '#server/calls/registry.ts';
import type { MeteredUsage } from '#server/relay/accounting/metered-usage.ts';
import { settleCall } from '#server/relay/accounting/settle-call.ts';
import type { EndReason } from '#server/relay/call-end.ts';
import { realtimeEndpoint } from '#server/relay/endpoints.ts';
import type { RelayEndpoint } from '#server/relay/endpoints.ts';
import { noteAnswered } from '#server/relay/routing/note-attempt.ts';
import { elapsed, releaseCall } from '#server/relay/running-call.ts';
import type { RunningCall } from '#server/relay/running-call.ts';
import { offersModel } from '#server/upstream/channel-index.ts';
import type { ChannelWay } from '#server/upstream/find-way.ts';
import { beginTurn, openTurn, sentBy } from './open-turn.ts';
import type { TurnsOf } from './turns.ts';

type Json = Readonly<Record<string, unknown>>;

/** Sound that is reserved for at the least. */
const shortestSeconds = 30;

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
  #isOver = false;

  constructor(of: TurnsOf) {
    this.#of = of;
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
    this.#next.push({ model, way, spare: await this.#open({ model, way }, shortestSeconds) });
    return way.upstreamModel;
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
    this.#pending.push({ heard, itemId, seconds, isSeen: false });
    await beginTurn(heard.call);
    writer.spare = await this.#open({ model, way }, shortestSeconds);
  }

  /** Some of the text has come. */
  seen(itemId: unknown): void {
    const written = this.#pending[this.#placeOf(itemId)];
    if (written !== undefined) written.isSeen = true;
  }

  /** It has been written. Resolves when its charge is durable. @throws {AppError} where nobody pays for it */
  async completed(event: Json): Promise<void> {
    const [written] = this.#pending.splice(this.#placeOf(event['item_id']), 1);
    const heard = written?.heard ?? (await this.#unexpected());
    if (heard !== null) await this.#settle(heard, 'completed', usageOf(heard.call, event, written?.seconds ?? heard.seconds));
  }

  failed(event: Json): void {
    const [written] = this.#pending.splice(this.#placeOf(event['item_id']), 1);
    if (written !== undefined) releaseCall(written.heard.call);
  }

  /** The session is over. What its provider was at is charged where some of it has come, or where the client has left it. */
  async cut(reason: EndReason): Promise<void> {
    this.#isOver = true;
    for (const writer of [this.#now, ...this.#next]) release(writer);
    const pending = this.#pending;
    this.#pending = [];
    const settling: Promise<void>[] = [];
    for (const { heard, seconds, isSeen } of pending) {
      if (isSeen || reason === 'client_disconnected') settling.push(this.#settle(heard, reason, usageOf(heard.call, {}, seconds)));
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
    const call = await openTurn(this.#of, heardEndpoint, heardBody(model, seconds));
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

const content = (model: string) =>
  heardContent((seconds) => {
    const heard = heardTokens(model, seconds);
    return { heard, written: mostWritten(model, seconds), audio: isByTokens(model) ? heard : 0 };
  });

const heardEndpoint: RelayEndpoint = {
  ...realtimeEndpoint,
  ...realtimeClient,
  kind: callKinds.transcriptions,
  promptContent: (body, model) => content(model)(body, model),
};

/** What is not told is as long as what was reserved for. */
function usageOf(call: RunningCall, event: Json, reserved: number): MeteredUsage {
  const { usage, seconds } = readTranscriptUsage(event);
  const { model } = call;
  const units = minutesOf(seconds ?? reserved);
  if (usage !== null && usage !== undefined) return { ...usage, promptSource: 'upstream', completionSource: 'upstream', units };
  const heard = heardTokens(model, seconds ?? reserved);
  const audioInput = isByTokens(model) ? heard : 0;
  return { ...noTokens, input: heard, audioInput, promptSource: 'estimated', completionSource: 'estimated', units };
}
