// Turns of a session that are charged individually: the next one is reserved before its response begins, and each is charged
// when its response ends.
import { AppError } from '#shared/errors.ts';
import { noTokens, type TokenUsage } from '#shared/token-usage.ts';
import { type ContextSize, turnBody } from '#server/kinds/realtime/realtime-client.ts';
import { readRealtimeUsage } from '#server/kinds/realtime/realtime-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { countedUsage, type MeteredUsage } from '#server/call/settlement/metered-usage.ts';
import { settleCall } from '#server/call/settlement/settle-call.ts';
import type { EndReason } from '#server/call/call-end.ts';
import { realtimeEndpoint } from '#server/call/endpoints.ts';
import { noteAnswered } from '#server/call/routing/note-attempt.ts';
import { elapsed, releaseCall, type RunningCall } from '#server/call/running-call.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { invalidResponse } from '#server/exchange/upstream-error.ts';
import { beginTurn, openLateTurn, openTurn, reserveGrownPrompt, sentBy, type TurnOwner } from './open-turn.ts';
import type { SessionContext } from './session-context.ts';
import type { SessionTurns } from './session-turns.ts';

type Json = Readonly<Record<string, unknown>>;

export interface TurnsOf extends TurnOwner {
  model: string;
  channel: PreparedChannel;
  route: ChannelRoute;
  context: SessionContext;
  /** The session only transcribes, without responses. */
  isTranscription: boolean;
}

interface RequestedTurn {
  call: RunningCall;
  eventId: string;
  /** Input in addition to the conversation. */
  extra: ContextSize;
  prompt: ContextSize;
}

interface RunningTurn {
  call: RunningCall;
  extra: ContextSize;
  mark: ContextSize;
  /** Whether the input of the response is not the conversation. */
  isApart: boolean;
  prompt: ContextSize;
  /** Output tokens received so far. */
  text: number;
  audio: number;
  firstByteMs: number | undefined;
}

/** Maximum responses that are requested and have not begun. */
const mostRequested = 16;
const none: ContextSize = { text: 0, audio: 0, image: 0 };

export class RealtimeTurns implements SessionTurns {
  readonly #of: TurnsOf;
  /** Call with the account that also pays for turns without a reservation. */
  readonly #like: RunningCall;
  #spare: RunningCall | null;
  #requested: RequestedTurn[] = [];
  readonly #running = new Map<string, RunningTurn>();
  #opening: Promise<void> | null = null;
  #over: EndReason | null = null;
  #isLeft = false;

  /** @param first call opened with the session: the first turn, or the first transcription of a transcription session */
  constructor(of: TurnsOf, first: RunningCall) {
    this.#of = of;
    this.#like = first;
    this.#spare = of.isTranscription ? null : first;
  }

  get isIdle(): boolean {
    return this.#running.size === 0 && this.#requested.length === 0;
  }

  /** Ids of responses in progress. */
  get runningIds(): string[] {
    return [...this.#running.keys()];
  }

  /** Called when the client has disconnected: no further turn is reserved. */
  leave(): void {
    this.#isLeft = true;
  }

  /** Maximum tokens of the next response; undefined for no bound. */
  get bound(): number | undefined {
    return this.#spare?.reserved.outputBound;
  }

  /**
   * Reserves the next turn, for the current context.
   * @throws {AppError}
   */
  async prepare(): Promise<void> {
    if (!this.#of.isTranscription) await this.#reserve();
  }

  async #reserve(): Promise<void> {
    if (this.#spare === null) await (this.#opening ??= this.#open());
    if (this.#spare !== null) await this.#cover(this.#spare, none);
  }

  /**
   * Reserves the next turn after one has ended. If its output was bounded, it is reserved again with the released quota.
   * @throws {AppError}
   */
  async renew(): Promise<void> {
    const spare = this.#spare;
    if (spare !== null && spare.reserved.outputBound !== undefined && this.isIdle) {
      this.#spare = null;
      releaseCall(spare);
    }
    await this.prepare();
  }

  /**
   * Reserves a response that the client requests. Returns its maximum tokens; undefined for no bound.
   * @throws {AppError}
   */
  async request(eventId: string, extra: ContextSize): Promise<number | undefined> {
    if (this.#requested.length >= mostRequested) throw new AppError('too_many_turns', {}, { retryAfter: 1 });
    let call: RunningCall | null = null;
    // The provider may begin a response meanwhile, which takes the reservation.
    for (let tries = 0; call === null; tries += 1) {
      if (tries > mostRequested) throw new AppError('overdraft_stopped');
      await this.prepare();
      call = this.#take();
    }
    try {
      await beginTurn(call);
      await this.#cover(call, extra);
    } catch (failure) {
      releaseCall(call);
      throw failure;
    }
    if (this.#over !== null) releaseCall(call);
    else this.#requested.push({ call, eventId, extra, prompt: this.#of.context.size });
    this.#refill();
    return call.reserved.outputBound;
  }

  /** Releases a response that the provider has refused. */
  refused(eventId: string): void {
    const at = this.#requested.findIndex((requested) => requested.eventId === eventId);
    const [requested] = at < 0 ? [] : this.#requested.splice(at, 1);
    if (requested !== undefined) releaseCall(requested.call);
  }

  /**
   * Called when a response begins, requested or not.
   * @throws {AppError} if it cannot be paid for
   */
  async begin(response: Json): Promise<void> {
    const id = idOf(response);
    if (this.#running.has(id)) return;
    const requested = this.#requested.shift();
    let call = requested?.call;
    try {
      if (call === undefined) {
        if (this.#spare === null) await this.#reserve();
        call = this.#take() ?? undefined;
        if (call === undefined) throw new AppError('overdraft_stopped');
        await beginTurn(call);
      }
    } catch (failure) {
      // The response has begun anyway: the provider bills its input, and its output until it is cancelled.
      call ??= (await openLateTurn(this.#like)) ?? undefined;
      if (call !== undefined) this.#add(id, { call, extra: none, response });
      throw failure;
    }
    this.#add(id, { call, extra: requested?.extra ?? none, response });
    // The session may have ended meanwhile.
    if (this.#over !== null) await this.cut(this.#over);
    this.#refill();
  }

  #add(id: string, { call, extra, response }: { call: RunningCall; extra: ContextSize; response: Json }): void {
    const { context, channel } = this.#of;
    call.attempts.push({ channel: channel.id, channel_name: channel.name, status: 200, start_ms: elapsed(call), end_ms: 0 });
    this.#running.set(id, {
      call,
      extra,
      mark: context.mark(),
      prompt: context.size,
      isApart: response['conversation_id'] === null,
      text: 0,
      audio: 0,
      firstByteMs: undefined,
    });
  }

  /** Called when output of a response arrives. */
  seen(responseId: unknown, { text, audio }: { text: number; audio: number }): void {
    const turn = typeof responseId === 'string' ? this.#running.get(responseId) : undefined;
    if (turn === undefined) return;
    turn.firstByteMs ??= elapsed(turn.call);
    turn.text += text;
    turn.audio += audio;
  }

  /**
   * Called when a response ends. Resolves when its charge is durable.
   * @param left why the session has ended already: without reported usage, the received output is charged
   * @throws {AppError} if the response cannot be paid for
   */
  async end(response: Json, left: EndReason | null = null): Promise<void> {
    const id = idOf(response);
    if (!this.#running.has(id)) await this.begin(response);
    const turn = this.#running.get(id);
    if (turn === undefined) return;
    this.#running.delete(id);
    const reported = readRealtimeUsage(response['usage']);
    if (reported !== null && !turn.isApart) this.#of.context.settled(reported.context, turn.mark);
    const usage = usageOf(turn, response, reported?.usage ?? null);
    if (left !== null) return this.#settle(turn, left, usage ?? seenUsage(turn));
    await this.#settle(turn, response['status'] === 'failed' ? 'upstream_failed' : 'completed', usage);
  }

  /** Ends the session: charges responses in progress by the received output. */
  async cut(reason: EndReason): Promise<void> {
    this.#over = reason;
    await this.#opening?.catch(() => {});
    if (this.#spare !== null) releaseCall(this.#spare);
    this.#spare = null;
    const requested = this.#requested;
    this.#requested = [];
    // The provider has received these requests: their input is charged if the caller does not wait for the responses.
    const isLeft = reason === 'client_disconnected' || reason === 'overdraft';
    for (const { call } of requested) if (!isLeft) releaseCall(call);
    const left = isLeft ? requested.map((turn) => this.#leftTurn(turn)) : [];
    const running = [...this.#running.values(), ...left];
    this.#running.clear();
    const settle = (turn: RunningTurn) => this.#settle(turn, reason, seenUsage(turn));
    const isHolding = ({ call }: RunningTurn) => call.reserved.reservation.amount > 0;
    await Promise.all(running.filter(isHolding).map(settle));
    // Turns without a reservation are settled last: the others release quota for them.
    for (const turn of running) if (!turn.call.reserved.reservation.isEnded) await settle(turn);
  }

  #leftTurn({ call, extra, prompt }: RequestedTurn): RunningTurn {
    const { channel } = this.#of;
    call.attempts.push({ channel: channel.id, channel_name: channel.name, status: 200, start_ms: 0, end_ms: elapsed(call) });
    return { call, extra, prompt, mark: none, isApart: false, text: 0, audio: 0, firstByteMs: undefined };
  }

  async #settle(turn: RunningTurn, reason: EndReason, usage: MeteredUsage | null): Promise<void> {
    const { call, firstByteMs } = turn;
    const { channel, route } = this.#of;
    const record = call.attempts.at(-1);
    if (record !== undefined) {
      if (firstByteMs !== undefined) record.first_byte_ms = firstByteMs;
      noteAnswered(call, { channel, record }, reason, reason === 'upstream_failed' ? invalidResponse() : undefined);
    }
    await settleCall(call, { reason, channel, request: sentBy(call, route), usage, firstByteMs });
  }

  #take(): RunningCall | null {
    const call = this.#spare;
    this.#spare = null;
    return call;
  }

  /** Reserves the next turn during the current one. If the balance does not cover both, it is reserved after the current one. */
  #refill(): void {
    if (this.#spare !== null || this.#over !== null || this.#isLeft || this.#of.isTranscription) return;
    const opening = (this.#opening ??= this.#open());
    this.#of.services.context.waitUntil(opening.catch(() => {}));
  }

  async #open(): Promise<void> {
    const { model, context } = this.#of;
    try {
      const call = await openTurn(this.#of, realtimeEndpoint, turnBody(model, context.size));
      const isPriced = call.reserved.quoted.price.kind === 'usage';
      if (this.#over === null && isPriced) this.#spare = call;
      else releaseCall(call);
      // The price was changed to one per minute, but this session has counted no minutes.
      if (!isPriced) throw new AppError('model_price_error', { model });
    } finally {
      this.#opening = null;
    }
  }

  #cover(call: RunningCall, extra: ContextSize): Promise<void> {
    const { text, audio, image } = this.#of.context.size;
    const [sounds, images] = [audio + extra.audio, image + extra.image];
    const tokens = text + extra.text + sounds + images;
    return reserveGrownPrompt(call, { tokens, cacheWrite: null, audio: sounds, image: images, isSpoken: true });
  }
}

function idOf({ id }: Json): string {
  return typeof id === 'string' ? id : '';
}

/** Returns the reported usage or, without a report, the received one; null if the response failed without output. */
function usageOf(turn: RunningTurn, response: Json, reported: TokenUsage | null): MeteredUsage | null {
  if (reported !== null && isObject(response['usage'])) {
    const isNothing = reported.input + reported.cacheRead + reported.output === 0;
    if (!isNothing || turn.text + turn.audio === 0) return { ...reported, promptSource: 'upstream', completionSource: 'upstream' };
  }
  const hasEnded = response['status'] === 'completed' || response['status'] === 'incomplete';
  return hasEnded || turn.text + turn.audio > 0 ? seenUsage(turn) : null;
}

/** Usage by the received output, with the maximum input. */
function seenUsage({ prompt, extra, text, audio }: RunningTurn): MeteredUsage {
  const [received, pictures] = [prompt.audio + extra.audio, prompt.image + extra.image];
  const input = prompt.text + extra.text + received + pictures;
  const output = Math.ceil(text) + Math.ceil(audio);
  return { ...noTokens, ...countedUsage(input, output, true), audioInput: received, imageInput: pictures, audioOutput: Math.ceil(audio) };
}
