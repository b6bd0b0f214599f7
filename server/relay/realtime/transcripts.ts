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
  seconds: number;
}

export class Transcripts {
  readonly #of: TurnsOf;
  #model: string | null = null;
  #way: ChannelWay | null = null;
  #spare: HeardSound | null = null;
  /** Sounds that are a part of the conversation and whose text has not come. */
  #pending: HeardSound[] = [];

  constructor(of: TurnsOf) {
    this.#of = of;
  }

  /** Which model writes; null: none. What comes back is what its provider calls it. @throws {AppError} where it cannot be used or paid for */
  async use(model: string | null): Promise<string | null> {
    if (model === this.#model) return this.#way?.upstreamModel ?? null;
    if (model === null) {
      this.#release();
      this.#model = null;
      return null;
    }
    const { channel } = this.#of;
    const way = channel.way(realtimeEndpoint.dialect, 'transcriptions', model);
    if (way === null || !offersModel(channel, model))
      throw new AppError('model_not_found', { model }, { field: 'session.audio.input.transcription.model' });
    const spare = await this.#open(model, shortestSeconds);
    this.#release();
    this.#model = model;
    this.#way = way;
    this.#spare = spare;
    return way.upstreamModel;
  }

  /** So much sound waits to be written down. @throws {AppError} */
  async cover(seconds: number): Promise<void> {
    const model = this.#model;
    if (model === null) return;
    const spare = this.#spare;
    if (spare !== null && spare.seconds >= seconds) return;
    const next = await this.#open(model, seconds * 2);
    if (spare !== null) releaseCall(spare.call);
    this.#spare = next;
  }

  /** What was heard is to be written down. @throws {AppError} where the next one cannot be paid for */
  async committed(): Promise<void> {
    const spare = this.#spare;
    const model = this.#model;
    if (model === null || spare === null) return;
    this.#spare = null;
    this.#pending.push(spare);
    await beginTurn(spare.call);
    this.#spare = await this.#open(model, shortestSeconds);
  }

  /** It has been. Resolves when its charge is durable. */
  async completed(event: Json): Promise<void> {
    const heard = this.#pending.shift() ?? this.#takeSpare();
    const way = this.#way;
    if (heard === null || way === null) return;
    const { call } = heard;
    const { channel } = this.#of;
    const record = { channel: channel.id, channel_name: channel.name, status: 200, start_ms: 0, end_ms: elapsed(call) };
    call.attempts.push(record);
    noteAnswered(call, { channel, record }, 'completed');
    const usage = usageOf(call, event, heard.seconds);
    await settleCall(call, { reason: 'completed', channel, request: sentBy(call, way), usage, firstByteMs: undefined });
  }

  failed(): void {
    const heard = this.#pending.shift();
    if (heard !== undefined) releaseCall(heard.call);
  }

  /** The session is over. What has not been told is not charged. */
  cut(): void {
    this.#release();
    for (const { call } of this.#pending) releaseCall(call);
    this.#pending = [];
  }

  #takeSpare(): HeardSound | null {
    const spare = this.#spare;
    this.#spare = null;
    return spare;
  }

  #release(): void {
    const spare = this.#takeSpare();
    if (spare !== null) releaseCall(spare.call);
  }

  async #open(model: string, seconds: number): Promise<HeardSound> {
    return { call: await openTurn(this.#of, heardEndpoint, heardBody(model, seconds)), seconds };
  }
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
