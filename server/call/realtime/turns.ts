// The turns of a session: one is always reserved for before its response begins, those that are at work are charged when it ends.
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
  /** What it reads is not the conversation. */
  isApart: boolean;
  prompt: ContextSize;
  /** Tokens that have been seen of its response. */
  text: number;
  audio: number;
  firstByteMs: number | undefined;
}

/** Responses that a client may request and that have not begun. */
const mostRequested = 16;
const none: ContextSize = { text: 0, audio: 0, image: 0 };

export class RealtimeTurns implements SessionTurns {
  readonly #of: TurnsOf;
  /** Whose account pays, also for what nothing could be reserved for. */
  readonly #like: RunningCall;
  #spare: RunningCall | null;
  #requested: RequestedTurn[] = [];
  readonly #running = new Map<string, RunningTurn>();
  #opening: Promise<void> | null = null;
  #over: EndReason | null = null;
  #isLeft = false;

  /** @param first reserved when the session was requested: for a turn, unless it has none */
  constructor(of: TurnsOf, first: RunningCall) {
    this.#of = of;
    this.#like = first;
    this.#spare = of.isTranscription ? null : first;
  }

  get isIdle(): boolean {
    return this.#running.size === 0 && this.#requested.length === 0;
  }

  /** Of responses that have begun and not ended. */
  get runningIds(): string[] {
    return [...this.#running.keys()];
  }

  /** The client has left: nothing is reserved for a further turn. */
  leave(): void {
    this.#isLeft = true;
  }

  /** Tokens that the next response may have; undefined: as many as it wants. */
  get bound(): number | undefined {
    return this.#spare?.reserved.outputBound;
  }

  /** A turn is reserved for, as large as the context is. @throws {AppError} */
  async prepare(): Promise<void> {
    if (!this.#of.isTranscription) await this.#reserve();
  }

  async #reserve(): Promise<void> {
    if (this.#spare === null) await (this.#opening ??= this.#open());
    if (this.#spare !== null) await this.#cover(this.#spare, none);
  }

  /** When a turn has ended: the next one is reserved for, with what that has given back. @throws {AppError} */
  async renew(): Promise<void> {
    const spare = this.#spare;
    if (spare !== null && spare.reserved.outputBound !== undefined && this.isIdle) {
      this.#spare = null;
      releaseCall(spare);
    }
    await this.prepare();
  }

  /** A client requests a response. Returns its largest number of tokens; undefined: no bound. @throws {AppError} */
  async ask(eventId: string, extra: ContextSize): Promise<number | undefined> {
    if (this.#requested.length >= mostRequested) throw new AppError('too_many_turns', {}, { retryAfter: 1 });
    let call: RunningCall | null = null;
    // The provider may begin one of its own meanwhile.
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

  /** It does not come. */
  refused(eventId: string): void {
    const at = this.#requested.findIndex((requested) => requested.eventId === eventId);
    const [requested] = at < 0 ? [] : this.#requested.splice(at, 1);
    if (requested !== undefined) releaseCall(requested.call);
  }

  /** A response begins, requested or not. @throws {AppError} if it cannot be paid for */
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
      // It is under way all the same: its provider bills what it reads, and what it says until it has been stopped.
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

  /** Something of a response has come. */
  seen(responseId: unknown, { text, audio }: { text: number; audio: number }): void {
    const turn = typeof responseId === 'string' ? this.#running.get(responseId) : undefined;
    if (turn === undefined) return;
    turn.firstByteMs ??= elapsed(turn.call);
    turn.text += text;
    turn.audio += audio;
  }

  /**
   * A response has ended. Resolves when its charge is durable. @throws {AppError} if no further turn can be paid for
   * @param left why the session is over already: usage that is not reported is charged by what was received, as for any interrupted turn
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

  /** The session is over: what is at work is charged by what has come of it. */
  async cut(reason: EndReason): Promise<void> {
    this.#over = reason;
    await this.#opening?.catch(() => {});
    if (this.#spare !== null) releaseCall(this.#spare);
    this.#spare = null;
    const requested = this.#requested;
    this.#requested = [];
    // The provider has received them: their input is charged to a caller that does not wait for them.
    const isLeft = reason === 'client_disconnected' || reason === 'overdraft';
    for (const { call } of requested) if (!isLeft) releaseCall(call);
    const left = isLeft ? requested.map((turn) => this.#leftTurn(turn)) : [];
    const running = [...this.#running.values(), ...left];
    this.#running.clear();
    const settle = (turn: RunningTurn) => this.#settle(turn, reason, seenUsage(turn));
    const isHolding = ({ call }: RunningTurn) => call.reserved.reservation.amount > 0;
    await Promise.all(running.filter(isHolding).map(settle));
    // What the others give back is there for those that hold nothing.
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

  /** Reserves for the next one during this one: if the balance does not cover both, again after this one. */
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
      // The price is per minute by now, and no minute of this session was counted.
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

/** Returns the reported usage or, without a report, the received one, unless there was no output. */
function usageOf(turn: RunningTurn, response: Json, reported: TokenUsage | null): MeteredUsage | null {
  if (reported !== null && isObject(response['usage'])) {
    const isNothing = reported.input + reported.cacheRead + reported.output === 0;
    if (!isNothing || turn.text + turn.audio === 0) return { ...reported, promptSource: 'upstream', completionSource: 'upstream' };
  }
  const hasEnded = response['status'] === 'completed' || response['status'] === 'incomplete';
  return hasEnded || turn.text + turn.audio > 0 ? seenUsage(turn) : null;
}

/** What has come of it, with all that it may have read. */
function seenUsage({ prompt, extra, text, audio }: RunningTurn): MeteredUsage {
  const [received, pictures] = [prompt.audio + extra.audio, prompt.image + extra.image];
  const input = prompt.text + extra.text + received + pictures;
  const output = Math.ceil(text) + Math.ceil(audio);
  return { ...noTokens, ...countedUsage(input, output, true), audioInput: received, imageInput: pictures, audioOutput: Math.ceil(audio) };
}
