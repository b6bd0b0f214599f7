// Handles a provider's events in a session: reported usage of turns is charged before the event is passed on.
import { AppError } from '#shared/errors.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { EndReason } from '#server/call/call-end.ts';
import type { OutputWatch } from '#server/call/text-guard.ts';
import { estimateTextTokens } from '#server/exchange/token-estimate.ts';
import type { SessionParts } from './client-events.ts';
import { secondsOfBase64, sizeOf, spokenPerSecond } from './session-context.ts';
import { inputOf, type Json } from './session-events.ts';

/** What becomes of a message that had to wait. */
export interface TakenMessage {
  /** Null: the client does not receive it. */
  message: Buffer | null;
  /** The session ends by it. */
  error?: AppError;
  /** What follows once it has gone. @throws {AppError} which ends the session */
  after?(): Promise<void>;
}

interface ServerParts extends SessionParts {
  /** The update that sets a session as its key says; null: its key says nothing. @throws {AppError} */
  preset: (() => Promise<Json>) | null;
  /** What the provider says, without its keys and addresses. */
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
  /** Words that the site blocks; null: what models say is not looked at. */
  #words: OutputWatch | null = null;

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }

  /** Returns the message to pass on, or null to drop it; a promise if work is needed before. */
  take(bytes: Buffer): Buffer | null | Promise<TakenMessage> {
    const event = parseObject(bytes.toString('utf8'));
    if (event === null) return bytes;
    const { minutes, transcripts } = this.#parts;
    const type = String(event['type']);
    if (type !== 'error') minutes?.start();
    if (type === 'response.created') this.#words = this.#wordsNow();
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
        // Of the provider's account.
        return null;
      case 'error':
        return this.#failed(bytes, event);
      default:
        if (type.startsWith('response.') && type.endsWith('.delta')) this.#seen(type, event);
        return bytes;
    }
  }

  /** They are to be stopped. */
  cancel(responses: readonly string[]): void {
    for (const id of responses) this.#parts.sendUpstream({ type: 'response.cancel', response_id: id });
  }

  /** The client has left: what still comes is only for the charge of its turns. Resolves when that is durable. */
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
      // The client is notified of the session after the settings of its key are applied.
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

  /** The buffer's audio becomes a part of the conversation, and is transcribed. @throws {AppError} if what follows cannot be paid for */
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

  /** What ran at the provider (`mcp`) is read by the next turn, and is in no usage of the one before. */
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
      // It cannot be paid for, or not now.
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

  /** Returns the current block list; responses in progress are still watched by the former one. */
  #wordsNow(): OutputWatch | null {
    const words = this.#parts.services.stages.guard.output();
    return words === null ? null : (this.#words ?? words);
  }

  /** Audio is not checked, but its transcript, which is sent in parallel, is. */
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

  /** The same event where there is nothing to leave out. */
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
