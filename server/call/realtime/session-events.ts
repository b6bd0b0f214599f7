// Edits messages of a session: output limits by the reservation, and model names that the channel maps.
// https://platform.openai.com/docs/api-reference/realtime-client-events
import { AppError } from '#shared/errors.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { bytesPerSecond } from './session-context.ts';

export type Json = Record<string, unknown>;

/** Update that the provider has not confirmed or refused yet. */
interface SentUpdate {
  eventId: string;
  kind: UpdateKind;
  /** Limit that the client had requested before. */
  wanted: number;
}

/** Origin of an update: Tidegate (`own`), the client, or the client's secret (`preset`). */
export type UpdateKind = 'own' | 'client' | 'preset';

/** Limit fields of the current API and of the beta: a provider might read both. */
const limitFields = ['max_output_tokens', 'max_response_output_tokens'];
const ownPrefix = 'tidegate_';
/** Maximum unconfirmed updates of a client. */
const mostUpdates = 100;

export interface SessionNames {
  /** Client's name of the model. */
  model: string;
  /** Provider's name of the model. */
  upstreamModel: string;
  /** Whether events have the shape of the beta. */
  isBeta: boolean;
  /** The session only transcribes, without responses. https://platform.openai.com/docs/guides/realtime-transcription */
  isTranscription: boolean;
}

export class SessionEvents {
  readonly #names: SessionNames;
  readonly #limitField: string;
  /** Updates that the provider has not confirmed, in order. */
  #updates: SentUpdate[] = [];
  #unnamed = new Set<string>();
  /** Limit that the client requested for responses; `Infinity` if none. */
  #wanted = Infinity;
  /** Limit last sent to the provider. */
  #reported = Infinity;
  /** Largest limit that the provider may apply, because it may refuse the last update. */
  #most = Infinity;
  #count = 0;
  inputFormat = 'pcm16';
  outputFormat = 'pcm16';

  constructor(names: SessionNames) {
    this.#names = names;
    this.#limitField = names.isBeta ? 'max_response_output_tokens' : 'max_output_tokens';
  }

  /** Type of session updates. */
  get updateType(): string {
    return this.#names.isTranscription && this.#names.isBeta ? 'transcription_session.update' : 'session.update';
  }

  /** Returns an update that makes the provider apply the bound; null if it already does. */
  boundUpdate(bound: number | undefined): Json | null {
    const limit = Math.min(this.#wanted, bound ?? Infinity);
    if (limit === this.#reported && (bound === undefined || this.#most <= bound)) return null;
    this.#reported = limit;
    this.#most = limit;
    const eventId = this.#newId();
    this.#updates.push({ eventId, kind: 'own', wanted: this.#wanted });
    const type = this.#names.isBeta ? {} : { type: 'realtime' };
    return { type: 'session.update', event_id: eventId, session: { ...type, [this.#limitField]: limitText(limit) } };
  }

  /** @throws {AppError} if an update requests another model, or too many wait for the provider */
  checkUpdate({ session }: Json): void {
    if (this.#updates.filter(({ kind }) => kind === 'client').length >= mostUpdates) throw refused('session', tooManyUpdates);
    if (!isObject(session)) return;
    const { isTranscription } = this.#names;
    if (session.type === (isTranscription ? 'realtime' : 'transcription')) throw refused('session.type', fixedType);
    if (session.model !== undefined && session.model !== this.#names.model) throw refused('session.model', fixedModel);
    // Until the update is confirmed, audio is measured by the format in which it is longer.
    const format = formatIn(session, 'input');
    if (format !== undefined && bytesPerSecond(format) < bytesPerSecond(this.inputFormat)) this.inputFormat = format;
  }

  /**
   * Returns the client's checked update as it is sent. `tracing` is removed: traces are stored in the provider's account, where
   * its users could read the conversation. It is not refused, because the vendor's agents request it by default.
   * https://platform.openai.com/docs/api-reference/realtime-client-events/session/update#session-tracing
   */
  update(event: Json, bound: number | undefined, kind: UpdateKind): Json {
    const { session } = event;
    if (!isObject(session)) return event;
    const { tracing: _tracing, ...next }: Json = session;
    if (session.model !== undefined) next['model'] = this.#names.upstreamModel;
    const wanted = this.#wanted;
    const named = this.#named(event);
    this.#updates.push({ eventId: String(named['event_id']), kind, wanted });
    const requested = limitFields.filter((field) => session[field] !== undefined);
    if (requested.length > 0) this.#wanted = Math.max(...requested.map((field) => limitIn(session[field])));
    const limit = Math.min(this.#wanted, bound ?? Infinity);
    if (requested.length > 0 || limit !== this.#reported) {
      if (limit < this.#wanted || (requested.length === 0 && (limit < Infinity || this.#reported < Infinity))) {
        for (const field of requested) delete next[field];
        next[this.#limitField] = limitText(limit);
      }
      this.#reported = limit;
      this.#most = Math.max(this.#most, limit);
    }
    return { ...named, session: next };
  }

  /** Returns the client's request for a response as it is sent. */
  create(event: Json, bound: number | undefined): Json {
    const response = isObject(event['response']) ? event['response'] : {};
    if (response.model !== undefined && response.model !== this.#names.model) throw refused('response.model', fixedModel);
    const { model: _model, ...rest } = response;
    const requested = limitFields.filter((field) => response[field] !== undefined);
    const wanted = requested.length === 0 ? this.#wanted : Math.max(...requested.map((field) => limitIn(response[field])));
    const most = requested.length === 0 ? this.#most : wanted;
    if (bound === undefined || most <= bound) return { ...event, ...(event['response'] === undefined ? {} : { response: rest }) };
    for (const field of requested) delete rest[field];
    return { ...event, response: { ...rest, [this.#limitField]: Math.min(wanted, bound) } };
  }

  /** Returns the event with an id, by which an error of the provider refers to it. */
  named(event: Json): Json & { event_id: string } {
    const named = this.#named(event);
    return { ...named, event_id: String(named['event_id']) };
  }

  /** Called when the provider confirms an update; returns its origin. Confirmations of Tidegate's updates are not forwarded. */
  updated(): UpdateKind {
    return this.#updates.shift()?.kind ?? 'client';
  }

  /** Returns an error of the provider for the client; null if it concerns an event of Tidegate. */
  failed(event: Json): { event: Json; eventId: string | null; isOfPreset: boolean } | null {
    const { error } = event;
    const eventId = isObject(error) && typeof error.event_id === 'string' ? error.event_id : null;
    if (eventId === null || !isObject(error)) return { event, eventId, isOfPreset: false };
    const at = this.#updates.findIndex((update) => update.eventId === eventId);
    const [update] = at < 0 ? [] : this.#updates.splice(at, 1);
    if (update?.kind === 'own') return null;
    if (update !== undefined) this.#wanted = update.wanted;
    const isOfPreset = update?.kind === 'preset';
    if (!this.#unnamed.delete(eventId)) return { event, eventId, isOfPreset };
    return { event: { ...event, error: { ...error, event_id: null } }, eventId, isOfPreset };
  }

  /** Returns an event about the session with the client's model name. */
  reported(event: Json): { event: Json; isChanged: boolean } {
    const { session } = event;
    const { model, upstreamModel } = this.#names;
    if (!isObject(session)) return { event, isChanged: false };
    this.inputFormat = formatIn(session, 'input') ?? this.inputFormat;
    this.outputFormat = formatIn(session, 'output') ?? this.outputFormat;
    if (model === upstreamModel || typeof session.model !== 'string') return { event, isChanged: false };
    return { event: { ...event, session: { ...session, model } }, isChanged: true };
  }

  #named(event: Json): Json {
    if (typeof event['event_id'] === 'string' && event['event_id'] !== '') return event;
    const eventId = this.#newId();
    this.#unnamed.add(eventId);
    if (this.#unnamed.size > mostUnnamed) this.#unnamed.delete([...this.#unnamed][0] ?? '');
    return { ...event, event_id: eventId };
  }

  #newId(): string {
    this.#count += 1;
    return `${ownPrefix}${this.#count}`;
  }
}

const mostUnnamed = 256;
const fixedType = {
  zh: '会话的类型由其地址（intent）决定，不可更改',
  en: 'the type of a session is that of its address (intent), and cannot be changed',
};
const tooManyUpdates = { zh: '尚未确认的更新过多', en: 'too many updates wait for their confirmation' };
const fixedModel = { zh: '会话的模型不可更改', en: 'the model of a session cannot be changed' };

export function refused(field: string, rule: { zh: string; en: string }): AppError {
  return new AppError('invalid_request', { detail: { zh: `${field}：${rule.zh}`, en: `${field}: ${rule.en}` } }, { field });
}

function limitIn(value: unknown): number {
  return typeof value === 'number' && value >= 1 ? value : Infinity;
}

function limitText(limit: number): number | 'inf' {
  return limit === Infinity ? 'inf' : limit;
}

/** Returns the audio format of the input or of the output. */
function formatIn(session: Json, side: 'input' | 'output'): string | undefined {
  const { audio } = session;
  const beta = session[`${side}_audio_format`];
  if (typeof beta === 'string') return beta;
  const there = isObject(audio) ? audio[side] : undefined;
  const format = isObject(there) ? there.format : undefined;
  if (!isObject(format) || typeof format.type !== 'string') return undefined;
  return typeof format.rate === 'number' ? `${format.type};rate=${format.rate}` : format.type;
}

export interface InputSetting {
  /** Turn detection; null if off, undefined if not specified. */
  turnDetection?: unknown;
  transcription?: unknown;
}

/** Reads the input settings of a session. */
export function inputOf(session: unknown): InputSetting {
  if (!isObject(session)) return {};
  const { audio } = session;
  const input = isObject(audio) && isObject(audio.input) ? audio.input : {};
  const pick = (ga: unknown, beta: unknown) => (ga === undefined ? beta : ga);
  return {
    turnDetection: pick(input.turn_detection, session.turn_detection),
    transcription: pick(input.transcription, session.input_audio_transcription),
  };
}

/** Returns the event with another name of the transcription model. */
export function withTranscriptionModel(event: Json, model: string): Json {
  const { session } = event;
  if (!isObject(session)) return event;
  const { audio, input_audio_transcription: beta } = session;
  if (isObject(beta)) return { ...event, session: { ...session, input_audio_transcription: { ...beta, model } } };
  if (!isObject(audio) || !isObject(audio.input) || !isObject(audio.input.transcription)) return event;
  const transcription = { ...audio.input.transcription, model };
  return { ...event, session: { ...session, audio: { ...audio, input: { ...audio.input, transcription } } } };
}
