// Handles a client's events in a session: the cost that an event adds is reserved before the event is forwarded.
import { fieldRules } from '#shared/field-rules.ts';
import { AppError, type ErrorCode } from '#shared/errors.ts';
import { badField } from '#server/framing/strict-fields.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { parseBody } from '#server/http/parse-body.ts';
import { scanBody } from '#server/http/scan-body.ts';
import { checkNames } from '#server/call/admission/check-names.ts';
import { realtimeEndpoint } from '#server/call/endpoints.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';
import { checkSessionRequest, isReadApart } from './check-session-request.ts';
import { inputTokensPerSecond, secondsOfBase64, type SessionContext, sizeOf } from './session-context.ts';
import { inputOf, type Json, refused, type SessionEvents, type UpdateKind, withTranscriptionModel } from './session-events.ts';
import type { SessionMinutes } from './minute-meter.ts';
import type { SessionTurns } from './session-turns.ts';
import type { Transcripts } from './transcripts.ts';

export interface SessionParts {
  services: RelayServices;
  userId: number;
  route: ChannelRoute;
  events: SessionEvents;
  context: SessionContext;
  turns: SessionTurns;
  /** Meter of a session that is priced by the minute; null if turns are charged. */
  minutes: SessionMinutes | null;
  transcripts: Transcripts;
  /** The session only transcribes, without responses. */
  isTranscription: boolean;
  sendUpstream(event: Json): void;
}

/** Errors that end the session, because it cannot be paid for. */
const fatal: ReadonlySet<ErrorCode> = new Set([
  'overdraft_stopped',
  'insufficient_user_quota',
  'pre_consume_token_quota_failed',
  'key_exhausted',
  'key_invalid',
  'key_disabled',
  'key_expired',
  'key_replaced',
  'user_banned',
]);
const none = { text: 0, audio: 0, image: 0 };
const writerField = 'session.audio.input.transcription.model';
/** Events that a transcription session refuses, because it has no responses. */
const ofTurns: ReadonlySet<string> = new Set(['response.create', 'conversation.item.create']);
const transcriptionOnly = { zh: '只做转写的会话没有回答', en: 'a session that only transcribes answers nothing' };

export class ClientEvents {
  readonly #parts: SessionParts;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  isFatal({ code }: AppError): boolean {
    return fatal.has(code);
  }

  /**
   * Parses a message.
   * @throws {AppError} if it is no event
   */
  async parse(bytes: Buffer): Promise<Json> {
    const { services, userId } = this.#parts;
    const raw = await scanBody(bytes);
    const { value } = await parseBody(raw, services.context.bodies, `user:${userId}`, ({ text, value: read }) =>
      checkNames(read, text, raw, realtimeEndpoint.names),
    );
    if (!isObject(value)) {
      throw new AppError('invalid_request', { detail: { zh: '事件必须是 JSON 对象', en: 'an event must be a JSON object' } });
    }
    // Strict, because a lenient parser may read a list with one entry as the entry.
    if (typeof value.type !== 'string') throw badField('type', fieldRules.text);
    return value;
  }

  /**
   * Returns the event to forward, the same object if unchanged.
   * @throws {AppError} if the event is refused
   */
  take(event: Json, kind: UpdateKind = 'client'): Json | Promise<Json> {
    const { isTranscription } = this.#parts;
    if (isTranscription && ofTurns.has(String(event['type']))) throw refused('type', transcriptionOnly);
    switch (event['type']) {
      case 'input_audio_buffer.append':
        return this.#addAudio(event);
      case 'conversation.item.create':
        this.#check(event['item']);
        checkSessionRequest('item', event['item'], this.#parts.route);
        return this.#add(event);
      case 'session.update':
        return this.#update(event, kind);
      case 'response.create':
        return this.#requestResponse(event);
      case 'transcription_session.update':
        return this.#update(isTranscription ? event : { ...event, session: { type: 'transcription' } }, kind);
      default:
        return event;
    }
  }

  async #add(event: Json): Promise<Json> {
    const { context, events, minutes, route } = this.#parts;
    const { item } = event;
    const size = sizeOf(item, events.inputFormat);
    if (minutes !== null) {
      const { secondsPerText = 0 } = route.provider.realtime ?? {};
      const isBilled = size.audio === 0 && isObject(item) && item.type !== 'function_call_output';
      await minutes.take({ received: size.audio / inputTokensPerSecond, written: isBilled ? secondsPerText : 0 });
    }
    context.add(size);
    return this.#reserved(event);
  }

  async #addAudio(event: Json): Promise<Json> {
    const { context, events, transcripts, minutes } = this.#parts;
    const { audio } = event;
    // Without a model, the provider would transcribe with its default, whose price is unknown.
    if (this.#parts.isTranscription && transcripts.model === null) throw new AppError('model_required', {}, { field: writerField });
    if (typeof audio === 'string') {
      const seconds = secondsOfBase64(audio, events.inputFormat);
      await minutes?.take({ received: seconds });
      context.addAudio(seconds);
    }
    await transcripts.cover(context.bufferedSeconds);
    return this.#reserved(event);
  }

  async #update(event: Json, kind: UpdateKind): Promise<Json> {
    const { context, events, transcripts, turns } = this.#parts;
    const { session } = event;
    this.#check(session);
    checkSessionRequest('session', session, this.#parts.route);
    events.checkUpdate(event);
    const { turnDetection, transcription } = inputOf(session);
    // Turn detection counts as on only after the provider confirms it.
    if (turnDetection === null) context.isListening = false;
    context.add(sizeOf(isObject(session) ? { instructions: session.instructions, tools: session.tools } : null, events.inputFormat));
    await this.#reserved(event);
    const isIncluded = this.#parts.minutes !== null && this.#parts.route.provider.realtime?.transcribes === true;
    const isUnchanged = transcription === undefined || isIncluded;
    const upstreamName = isUnchanged ? null : await transcripts.use(transcriptionModel(transcription, transcripts.model));
    const next = events.update(event, turns.bound, kind);
    return upstreamName === null ? next : withTranscriptionModel(next, upstreamName);
  }

  async #requestResponse(event: Json): Promise<Json> {
    const { context, events, turns } = this.#parts;
    const named = events.named(event);
    const { response } = event;
    this.#check(response);
    checkSessionRequest('response', response, this.#parts.route);
    if (isReadApart(response)) context.readsApart();
    const extra = isObject(response) ? sizeOf(response, events.inputFormat) : none;
    // Reports errors of the request before its reservation.
    events.create(named, undefined);
    const bound = await turns.request(named.event_id, extra);
    this.#reportBound();
    return events.create(named, bound);
  }

  /** Extends the next turn's reservation to the current context. */
  async #reserved(event: Json): Promise<Json> {
    await this.#parts.turns.prepare();
    this.#reportBound();
    return event;
  }

  #reportBound(): void {
    const { events, turns, sendUpstream } = this.#parts;
    const update = turns.bound === undefined ? null : events.boundUpdate(turns.bound);
    if (update !== null) sendUpstream(update);
  }

  /** @throws {AppError} `sensitive_words_detected` */
  #check(value: unknown): void {
    const { guard } = this.#parts.services.stages;
    if (!guard.isOn || value === undefined) return;
    const texts: string[] = [];
    const walk = (node: unknown, name: string): void => {
      if (typeof node === 'string') {
        if (name !== 'audio' && name !== 'image_url') texts.push(node);
      } else if (Array.isArray(node)) for (const part of node) walk(part, name);
      else if (isObject(node)) for (const [key, part] of Object.entries(node)) walk(part, key);
    };
    walk(value, '');
    guard.check(texts);
  }
}

/**
 * Returns the transcription model; the current one if none is named, null if transcription is turned off.
 * @throws {AppError} `model_required` if there is none, because providers would choose a default
 */
function transcriptionModel(transcription: unknown, before: string | null): string | null {
  if (transcription === null) return null;
  const named = isObject(transcription) ? transcription.model : undefined;
  const model = typeof named === 'string' && named !== '' ? named : before;
  if (model === null) throw new AppError('model_required', {}, { field: writerField });
  return model;
}
