// A realtime session: forwards messages between the connections of a client and of a provider, in order. Costs are reserved
// before a client's message is forwarded, and charged before the client receives the result.
import type { Duplex } from 'node:stream';
import { AppError, type Language } from '#shared/errors.ts';
import type { BodyHold } from '#server/http/bodies.ts';
import type { Connection } from '#server/http/connection.ts';
import { toAppError } from '#server/http/failure.ts';
import { newRequestId } from '#server/http/request-id.ts';
import { type EndReason, endRules } from '#server/call/call-end.ts';
import { gatewayError } from '#server/call/relay-failure.ts';
import type { RelayServices } from '#server/call/services.ts';
import { KeyWatch } from '#server/call/sockets/key-watch.ts';
import type { WorkObserver } from '#server/telemetry/work-observer.ts';
import { closeReason } from '#server/sockets/close-reason.ts';
import { closeCodes, type MessageSocket, type SocketReceiver } from '#server/sockets/message-socket.ts';
import { type UpstreamReceiver, UpstreamSocket } from '#server/sockets/upstream-socket.ts';
import { cleanMessage } from '#server/exchange/upstream-error.ts';
import { ClientEvents } from './client-events.ts';
import { LastUsage } from './last-usage.ts';
import type { OpenedSession } from './open-session.ts';
import { ServerEvents } from './server-events.ts';
import { type Json, SessionEvents } from './session-events.ts';
import { SessionMinutes } from './minute-meter.ts';
import { isUsable } from './channel-usable.ts';
import { MinuteTurns, type SessionTurns } from './session-turns.ts';
import { RealtimeTurns } from './turns.ts';
import { Transcripts } from './transcripts.ts';

export interface SessionOptions {
  services: RelayServices;
  request: Request;
  connection: Connection;
  language: Language;
  userId: number;
  opened: OpenedSession;
  onClosed(session: RealtimeSession): void;
}

/** Maximum duration, as at the vendor. https://platform.openai.com/docs/guides/realtime-conversations */
const mostMinutes = 60;
/** Queued messages of a client at which reading pauses. */
const mostWaiting = 16;

export class RealtimeSession implements SocketReceiver {
  readonly #options: SessionOptions;
  readonly #client: MessageSocket;
  readonly #upstream: UpstreamSocket;
  readonly #turns: SessionTurns;
  /** Meter of a session that is priced by the minute; null if turns are charged. */
  readonly #minutes: SessionMinutes | null;
  readonly #transcripts: Transcripts;
  readonly #fromClient: ClientEvents;
  readonly #fromUpstream: ServerEvents;
  readonly #keys: KeyWatch;
  readonly #hold: BodyHold;
  readonly #noteEnd: ReturnType<WorkObserver['sessionOpened']> | undefined;
  readonly #endsAt: number;
  #begin: () => void = () => {};
  #waiting = 0;
  #clientWork: Promise<void> = Promise.resolve();
  #incoming: Buffer[] = [];
  #isPumping = false;
  #forwarding: Promise<void> = Promise.resolve();
  /** Wait for the usage of turns after the client has disconnected; null if there is none. */
  #last: LastUsage | null = null;
  #upstreamEnd: { code: number; reason: string } | null = null;
  #isDraining = false;
  #isOver = false;

  constructor(client: MessageSocket, raw: Duplex, options: SessionOptions) {
    const { services, request, connection, userId, opened } = options;
    this.#options = options;
    this.#client = client;
    this.#hold = services.context.bodies.open(`user:${userId}`);
    this.#endsAt = services.context.now() + mostMinutes * 60_000;
    const { model, channel, route, context, first, firstSeconds, isBeta, isTranscription } = opened;
    const of = { services, request, connection, model, channel, route, context, isTranscription };
    const events = new SessionEvents({ model, upstreamModel: route.upstreamModel, isBeta, isTranscription });
    this.#turns = firstSeconds === null ? new RealtimeTurns(of, first) : new MinuteTurns();
    const onUnpaid = (failure: unknown) => this.#fail(failure, closeCodes.refused);
    this.#minutes = firstSeconds === null ? null : new SessionMinutes({ ...of, onUnpaid }, { call: first, seconds: firstSeconds });
    this.#transcripts = new Transcripts(of, isTranscription ? first : null);
    const [turns, minutes, transcripts] = [this.#turns, this.#minutes, this.#transcripts];
    const parts = { services, userId, route, events, context, turns, minutes, transcripts, isTranscription };
    const sendUpstream = (event: Json) => this.#sendUpstream(Buffer.from(JSON.stringify(event)));
    this.#fromClient = new ClientEvents({ ...parts, sendUpstream });
    const { preset } = opened;
    // Messages of the client wait until the settings of its secret are applied.
    if (preset !== null) this.#clientWork = new Promise((resolve) => (this.#begin = resolve));
    this.#fromUpstream = new ServerEvents({
      ...parts,
      sendUpstream,
      preset: preset === null ? null : () => this.#preset({ type: events.updateType, session: preset }),
      clean: (text) => this.#clean(text),
    });
    this.#keys = new KeyWatch({ services, request, connection }, (error) => this.#fail(error, closeCodes.refused));
    this.#upstream = new UpstreamSocket(raw, this.#upstreamReceiver());
    this.#noteEnd = services.context.workObserver?.sessionOpened(model);
  }

  /** Begins no further turns; those in progress continue. */
  drain(): void {
    this.#isDraining = true;
    this.#closeIfDone();
  }

  /** Ends the session at once. */
  shutDown(): void {
    this.#last?.end();
    this.#fail(new AppError('shutting_down'), closeCodes.goingAway, 'shutdown');
  }

  // Events of the client's socket.

  message(bytes: Buffer): void {
    if (this.#isOver) return;
    try {
      this.#hold.grow(bytes.length);
    } catch (failure) {
      this.#fail(failure, closeCodes.tryAgain);
      return;
    }
    this.#waiting += 1;
    if (this.#waiting >= mostWaiting) this.#client.holdReading();
    this.#clientWork = this.#clientWork.then(() => this.#readClient(bytes)).finally(() => this.#readNext(bytes.length));
  }

  refuse(error: AppError): void {
    this.#report(error, null);
  }

  pause(): void {
    this.#upstream.pause();
  }

  resume(): void {
    this.#readUpstream();
  }

  tick(): void {
    const { services, opened } = this.#options;
    if (this.#isOver) return;
    if (!this.#upstream.tick()) this.#upstream.terminate();
    if (services.context.now() >= this.#endsAt)
      this.#fail(new AppError('realtime_session_expired', { minutes: mostMinutes }), closeCodes.goingAway);
    else this.#keys.check();
    this.#minutes?.tick();
    if (!isUsable(services, opened.channel)) this.drain();
    this.#closeIfDone();
  }

  closed(): void {
    this.#end(this.#options.services.isEnding() ? 'shutdown' : 'client_disconnected');
    // The socket counts as open while the provider's usage is awaited.
    const free = () => this.#options.onClosed(this);
    if (this.#last === null) free();
    else void this.#last.over.then(free, free);
  }

  /** Processes and forwards a client's message. Never rejects. */
  async #readClient(bytes: Buffer): Promise<void> {
    if (this.#isOver) return;
    let eventId: string | null = null;
    try {
      const event = await this.#fromClient.parse(bytes);
      eventId = typeof event['event_id'] === 'string' ? event['event_id'] : null;
      if (this.#isDraining && event['type'] === 'response.create') throw new AppError('shutting_down');
      const next = await this.#fromClient.take(event);
      if (this.#isOver) return;
      this.#sendUpstream(next === event ? bytes : Buffer.from(JSON.stringify(next)));
    } catch (failure) {
      const error = this.#errorOf(failure);
      this.#report(error, eventId);
      if (this.#fromClient.isFatal(error)) this.#end('overdraft', { code: closeCodes.refused, reason: error.code });
    }
  }

  async #preset(update: Json): Promise<Json> {
    try {
      return await this.#fromClient.take(update, 'preset');
    } finally {
      this.#begin();
    }
  }

  #readNext(length: number): void {
    this.#waiting -= 1;
    this.#hold.shrinkTo(Math.max(0, this.#hold.bytes - length));
    if (this.#waiting === 0 && !this.#upstream.isFull) this.#client.readOn();
  }

  #sendUpstream(bytes: Buffer): void {
    this.#upstream.send(bytes);
    if (this.#upstream.isFull) this.#client.holdReading();
  }

  // Events of the provider's socket.

  #upstreamReceiver(): UpstreamReceiver {
    return {
      message: (bytes) => {
        if (this.#last !== null) return this.#last.take(bytes);
        this.#incoming.push(bytes);
        this.#pump();
      },
      drained: () => {
        if (this.#waiting === 0) this.#client.readOn();
      },
      closed: (code, reason) => {
        this.#upstreamEnd = { code, reason };
        this.#last?.noMore();
        this.#pump();
      },
    };
  }

  /** Processes messages one after the other; reading pauses while one waits. */
  #pump(): void {
    while (!this.#isPumping && !this.#isOver) {
      const bytes = this.#incoming.shift();
      if (bytes === undefined) break;
      this.#isPumping = true;
      const work = this.#forward(bytes);
      if (work === null) {
        this.#isPumping = false;
        continue;
      }
      this.#upstream.pause();
      const going = work
        .catch((failure: unknown) => this.#fail(failure, closeCodes.serverError, 'fault'))
        .finally(() => {
          this.#isPumping = false;
          this.#readUpstream();
          this.#pump();
        });
      this.#forwarding = going;
      this.#options.services.context.waitUntil(going);
    }
    if (this.#upstreamEnd !== null && !this.#isPumping && this.#incoming.length === 0) this.#upstreamClosed(this.#upstreamEnd);
  }

  #readUpstream(): void {
    if (!this.#isPumping && !this.#client.isFull) this.#upstream.resume();
  }

  /** Processes and forwards a provider's message; returns null if that is done synchronously. */
  #forward(bytes: Buffer): Promise<void> | null {
    const taken = this.#fromUpstream.take(bytes);
    if (!(taken instanceof Promise)) {
      if (taken !== null) this.#client.send(taken);
      return null;
    }
    return taken.then(async ({ message, error, after }) => {
      if (message !== null) this.#client.send(message);
      if (error !== undefined) throw error;
      if (this.#isOver) return;
      try {
        await after?.();
      } catch (failure) {
        const reported = this.#errorOf(failure);
        this.#report(reported, null);
        this.#end(reported.code === 'output_blocked' ? 'blocked_words' : 'overdraft', { code: closeCodes.refused, reason: reported.code });
      }
      this.#closeIfDone();
    });
  }

  #upstreamClosed({ code, reason }: { code: number; reason: string }): void {
    if (this.#isOver) return;
    const isClean = code >= 3000 || code === closeCodes.normal || code === closeCodes.goingAway;
    if (!isClean || !this.#turns.isIdle) this.#report(new AppError('upstream_truncated'), null);
    this.#end(
      'truncated',
      isClean ? { code, reason: closeReason(this.#clean(reason)) } : { code: closeCodes.serverError, reason: 'upstream_truncated' },
    );
  }

  #clean(text: string): string {
    return cleanMessage(text, this.#options.opened.channel);
  }

  // End of the session.

  #closeIfDone(): void {
    if (!this.#isDraining || this.#isOver || !this.#turns.isIdle || !this.#transcripts.isIdle) return;
    const isChannelUsable = isUsable(this.#options.services, this.#options.opened.channel);
    if (isChannelUsable) this.#fail(new AppError('shutting_down'), closeCodes.goingAway, 'shutdown');
    else this.#fail(new AppError('channel_disabled'), closeCodes.restart);
  }

  #fail(failure: unknown, code: number, reason: EndReason = 'overdraft'): void {
    if (this.#isOver) return;
    const error = this.#errorOf(failure);
    this.#report(error, null);
    this.#end(reason, { code, reason: error.code });
  }

  #end(reason: EndReason, close?: { code: number; reason: string }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#noteEnd?.(endRules[reason].channel === 'failed' || reason === 'fault' ? 'failed' : 'finished');
    this.#begin();
    const messages = this.#incoming;
    this.#incoming = [];
    if (close !== undefined) this.#client.close(close.code, close.reason);
    if (this.#minutes !== null) this.#wait(this.#minutes.end(reason));
    this.#wait(this.#transcripts.cut(reason, this.#options.opened.context.bufferedSeconds));
    this.#wait(this.#endTurns(reason, messages));
  }

  /** Charges responses in progress: by the provider's report if the client has disconnected, else by the received output. */
  async #endTurns(reason: EndReason, messages: Buffer[]): Promise<void> {
    const [upstream, turns] = [this.#upstream, this.#turns];
    try {
      if (reason === 'client_disconnected' && upstream.isOpen && turns.runningIds.length > 0) {
        this.#last = new LastUsage({ upstream, fromUpstream: this.#fromUpstream, turns, reason, messages, before: this.#forwarding });
        await this.#last.over;
      }
    } finally {
      upstream.close(closeCodes.normal, '');
      await turns.cut(reason);
    }
  }

  #wait(ending: Promise<void>): void {
    const { context } = this.#options.services;
    context.waitUntil(ending.catch((failure: unknown) => context.log.error({ err: failure }, 'a session could not be settled')));
  }

  #errorOf(failure: unknown): AppError {
    const { context } = this.#options.services;
    return toAppError(failure, context, newRequestId(context));
  }

  #report(error: AppError, eventId: string | null): void {
    const { context } = this.#options.services;
    const requestId = newRequestId(context);
    const { message, type, param, code } = gatewayError(error, this.#options.language, requestId);
    const reported = {
      type: 'error',
      event_id: `event_${requestId}`,
      error: { type, code, message, param: param === '' ? null : param, event_id: eventId },
    };
    this.#client.send(JSON.stringify(reported));
  }
}
