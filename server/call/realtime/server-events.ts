// Handles a provider's events in a session: usage of turns is charged before the event that reports it is forwarded.
import { AppError } from '#shared/errors.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { EndReason } from '#server/call/call-end.ts';
import type { OutputWatch } from '#server/call/text-guard.ts';
import { estimateTextTokens } from '#server/exchange/token-estimate.ts';
import type { SessionParts } from './client-events.ts';
import { secondsOfBase64, sizeOf, spokenPerSecond } from './session-context.ts';
import { inputOf, type Json } from './session-events.ts';

/** Result for a message that required asynchronous work. */
export interface TakenMessage {
  /** Message for the client; null for none. */
  message: Buffer | null;
  /** Error that ends the session. */
  error?: AppError;
  /**
   * Called after the message was sent.
   * @throws {AppError} an error that ends the session
   */
  after?(): Promise<void>;
}

interface ServerParts extends SessionParts {
  /**
   * Returns the update that applies the settings of the client secret; null if there are none.
   * @throws {AppError}
   */
  preset: (() => Promise<Json>) | null;
  /** Removes the provider's keys and URLs from a text. */
  clean(text: string): string;
}

/** Errors about the provider's account. */
const ofAccount = new Set([
  'insufficient_quota',
  'invalid_api_key',
  'billing_hard_limit_reached',
  'account_deactivated',
  'access_terminated',
]);

export class ServerEvents {
  readonly #parts: ServerParts;
  /** Watch for blocked words; null if output is not checked. */
  #words: OutputWatch | null = null;

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }

  /** Returns the message to forward, or null to drop it; a promise if asynchronous work is required first. */
  take(bytes: Buffer): Buffer | null | Promise<TakenMessage> {
    const event = parseObject(bytes.toString('utf8'));
    if (event === null) return bytes;
    const { minutes, transcripts } = this.#parts;
    const type = String(event['type']);
    if (type !== 'error') minutes?.start();
    if (type === 'response.created') this.#words = this.#watchForResponse();
    if (this.#isBlocked(type, event)) {
      if (type.endsWith('.delta')) this.#seen(type, event);
      return Promise.resolve({ message: null, after: () => Promise.reject(new AppError('output_blocked')) });
    }
    switch (type) {
      case 'session.created':
      case 'transcription_session.created':
        return this.#created(bytes, event);
      case 'session.updated':
      case 'transcription_session.updated':
        return this.#updated(bytes, event);
      case 'input_audio_buffer.speech_started':
        return this.#speaks(bytes, event);
      case 'input_audio_buffer.cleared':
        return this.#cleared(bytes);
      case 'input_audio_buffer.committed':
        return this.#committed(event).then(
          () => ({ message: bytes }),
          (failure: unknown) => ({ message: bytes, after: () => Promise.reject(failure) }),
        );
      case 'response.created':
        return this.#begin(bytes, event);
      case 'response.done':
        return this.#end(bytes, event);
      case 'conversation.item.input_audio_transcription.completed':
        return transcripts.completed(event).then(() => ({ message: bytes }));
      case 'conversation.item.input_audio_transcription.failed':
        transcripts.failed(event);
        return bytes;
      case 'conversation.item.input_audio_transcription.delta':
        transcripts.seen(event['item_id']);
        return bytes;
      case 'conversation.item.added':
      case 'conversation.item.created':
      case 'conversation.item.done':
      case 'response.output_item.done':
        return this.#ran(bytes, event);
      case 'rate_limits.updated':
        // Rate limits of the provider's account are not the caller's.
        return null;
      case 'error':
        return this.#failed(bytes, event);
      default:
        if (type.startsWith('response.') && type.endsWith('.delta')) this.#seen(type, event);
        return bytes;
    }
  }

  /** Cancels responses. */
  cancel(responses: readonly string[]): void {
    for (const id of responses) this.#parts.sendUpstream({ type: 'response.cancel', response_id: id });
  }

  /** Processes a message after the client has disconnected, only for the charges. Resolves when they are durable. */
  async takeLast(bytes: Buffer, reason: EndReason): Promise<void> {
    const { turns } = this.#parts;
    const event = parseObject(bytes.toString('utf8'));
    if (event === null) return;
    const type = String(event['type']);
    const { response } = event;
    if (type.startsWith('response.') && type.endsWith('.delta')) this.#seen(type, event);
    if (!isObject(response)) return;
    if (type === 'response.done') await turns.end(response, reason);
    else if (type === 'response.created') {
      await this.#begin(bytes, event);
      this.cancel([String(response.id)]);
    }
  }

  async #created(bytes: Buffer, event: Json): Promise<TakenMessage> {
    const { context, events } = this.#parts;
    const { session } = event;
    if (isObject(session)) {
      context.add(sizeOf({ instructions: session.instructions, tools: session.tools }, events.inputFormat));
      const { turnDetection } = inputOf(session);
      if (turnDetection !== undefined) context.isListening = turnDetection !== null;
    }
    const { event: reported, isChanged } = events.reported(event);
    const { preset } = this.#parts;
    if (preset !== null) {
      // The client is notified of the session after the settings of its secret are applied.
      this.#parts.sendUpstream(await preset());
      return { message: null, after: () => this.#bound() };
    }
    return { message: isChanged ? Buffer.from(JSON.stringify(reported)) : bytes, after: () => this.#bound() };
  }

  #cleared(bytes: Buffer): Promise<TakenMessage> {
    const { context, transcripts } = this.#parts;
    const seconds = context.bufferedSeconds;
    context.cleared();
    return transcripts.dropped(seconds).then(() => ({ message: bytes }));
  }

  #speaks(bytes: Buffer, event: Json): Buffer | Promise<TakenMessage> {
    const { context, transcripts, turns } = this.#parts;
    const before = context.bufferedSeconds;
    const { audio_start_ms: start } = event;
    context.speaks(typeof start === 'number' ? start / 1000 : Infinity);
    if (context.bufferedSeconds === before) return bytes;
    const covering = transcripts.cover(context.bufferedSeconds).then(() => turns.prepare());
    return covering.then(
      () => ({ message: bytes, after: () => this.#bound() }),
      (failure: unknown) => ({ message: bytes, after: () => Promise.reject(failure) }),
    );
  }

  /**
   * Adds the buffered audio to the conversation and starts its transcription.
   * @throws {AppError} if the next transcription cannot be paid for
   */
  #committed(event: Json): Promise<void> {
    const { context, transcripts } = this.#parts;
    const seconds = context.bufferedSeconds;
    context.committed();
    return transcripts.committed(event['item_id'], seconds);
  }

  #updated(bytes: Buffer, event: Json): Buffer | null {
    const { context, events, transcripts } = this.#parts;
    const { event: reported, isChanged } = events.reported(event);
    const kind = events.updated();
    const { turnDetection, transcription } = inputOf(event['session']);
    if (turnDetection !== undefined) context.isListening = turnDetection !== null;
    const writer = isObject(transcription) ? transcription.model : transcription;
    if (writer === null || typeof writer === 'string') transcripts.confirmed(writer);
    else if (kind !== 'own') transcripts.confirmed(undefined);
    if (kind === 'own') return null;
    if (kind === 'preset')
      return Buffer.from(JSON.stringify({ ...reported, type: String(reported['type']).replace('updated', 'created') }));
    return isChanged ? Buffer.from(JSON.stringify(reported)) : bytes;
  }

  /** Adds the results of hosted tools (`mcp`): they are input of the next turn, and in no usage of the turn before. */
  #ran(bytes: Buffer, { item }: Json): Buffer | Promise<TakenMessage> {
    const { context, events, turns } = this.#parts;
    if (!isObject(item) || typeof item.type !== 'string' || !item.type.startsWith('mcp_')) return bytes;
    const { tools, output, error } = item;
    if (!context.addRun(String(item.id), sizeOf({ tools, output, error }, events.inputFormat))) return bytes;
    return turns.prepare().then(
      () => ({ message: bytes, after: () => this.#bound() }),
      (failure: unknown) => ({ message: bytes, after: () => Promise.reject(failure) }),
    );
  }

  async #begin(bytes: Buffer, { response }: Json): Promise<TakenMessage> {
    const { turns, sendUpstream } = this.#parts;
    if (!isObject(response)) return { message: bytes };
    try {
      await turns.begin(response);
      return { message: bytes };
    } catch (failure) {
      // The response cannot be paid for, or the database is unavailable.
      sendUpstream({ type: 'response.cancel', response_id: response.id });
      if (!(failure instanceof AppError)) throw failure;
      return { message: bytes, after: () => Promise.reject(failure) };
    }
  }

  async #end(bytes: Buffer, { response }: Json): Promise<TakenMessage> {
    const { turns } = this.#parts;
    if (!isObject(response)) return { message: bytes };
    await turns.end(response);
    return {
      message: bytes,
      after: async () => {
        await turns.renew();
        await this.#bound();
      },
    };
  }

  /** Returns the watch for a new response: the existing one, which may have seen parts of others; null if output is not checked. */
  #watchForResponse(): OutputWatch | null {
    const words = this.#parts.services.stages.guard.output();
    return words === null ? null : (this.#words ?? words);
  }

  /** Reports whether an event has blocked words. Audio is checked by its transcript, which is sent in parallel. */
  #isBlocked(type: string, event: Json): boolean {
    if (this.#words === null || !type.startsWith('response.') || type.endsWith('audio.delta')) return false;
    return this.#words.inObject(event, String(event['response_id']));
  }

  #seen(type: string, { response_id: id, delta }: Json): void {
    if (typeof delta !== 'string') return;
    const { turns, minutes, events } = this.#parts;
    const isAudio = type.endsWith('audio.delta');
    const seconds = isAudio ? secondsOfBase64(delta, events.outputFormat) : 0;
    minutes?.spoke(seconds);
    turns.seen(id, { text: isAudio ? 0 : estimateTextTokens(delta), audio: seconds * spokenPerSecond });
  }

  #failed(bytes: Buffer, event: Json): Buffer | null | Promise<TakenMessage> {
    const { events, turns } = this.#parts;
    const { error } = event;
    if (isObject(error) && ofAccount.has(String(error.code)))
      return Promise.resolve({ message: null, error: new AppError('channel_refused') });
    const failed = events.failed(event);
    if (failed === null) return null;
    if (failed.isOfPreset) return Promise.resolve({ message: bytes, error: new AppError('key_invalid') });
    if (failed.eventId !== null) turns.refused(failed.eventId);
    const reported = this.#cleaned(failed.event);
    return reported === event ? bytes : Buffer.from(JSON.stringify(reported));
  }

  /** Returns the event with a cleaned error message; the same object if nothing is removed. */
  #cleaned(event: Json): Json {
    const { error } = event;
    if (!isObject(error) || typeof error.message !== 'string') return event;
    const message = this.#parts.clean(error.message);
    return message === error.message ? event : { ...event, error: { ...error, message } };
  }

  async #bound(): Promise<void> {
    const { turns, events, sendUpstream } = this.#parts;
    await turns.prepare();
    const update = events.boundUpdate(turns.bound);
    if (update !== null) sendUpstream(update);
  }
}
