// Client secrets: short-lived keys for browsers that only open a session with one model and fixed settings. They are Tidegate's,
// not a provider's, and contain the caller's key and the settings in encrypted form. https://platform.openai.com/docs/api-reference/realtime-sessions/create-realtime-client-secret
import { z } from 'zod/mini';
import { fieldRules } from '#shared/field-rules.ts';
import { AppError } from '#shared/errors.ts';
import { badField } from '#server/framing/strict-fields.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { Secrets } from '#server/secrets/secrets.ts';
import { inputOf } from './session-events.ts';

export const secretPrefix = 'ek_';

/** Lifetimes in seconds. */
const [shortest, usual, longest] = [10, 600, 7_200];
/** Maximum characters of session settings, all of which are in the secret. */
const longestSession = 6_000;
const longestSecret = 16_384;

/** Content of a secret. */
export interface ClientSecret {
  key: string;
  /** Model for responses; in a transcription session, the transcription model. */
  model: string;
  /** The session only transcribes, without responses. */
  isTranscription: boolean;
  /** Settings that are applied when the session is opened. */
  session: Record<string, unknown>;
  /** Unix seconds. */
  expiresAt: number;
}

const Sealed = z.object({
  use: z.literal('realtime'),
  key: z.string(),
  model: z.string(),
  isTranscription: z.optional(z.boolean()),
  session: z.record(z.string(), z.unknown()),
  expiresAt: z.number(),
});

/** Endpoints that create keys: the current one, and two whose body is the session itself. */
export type SecretRequest = 'client_secrets' | 'sessions' | 'transcription_sessions';

/** Parses the request. @throws {AppError} with the field at fault */
export function readSecretRequest(body: unknown, { form, now }: { form: SecretRequest; now: number }): Omit<ClientSecret, 'key'> {
  const isOld = form !== 'client_secrets';
  if (!isObject(body))
    throw new AppError('invalid_request', { detail: { zh: '请求体必须是 JSON 对象', en: 'the body must be a JSON object' } });
  const session = isOld ? withoutSecret(body) : body.session;
  if (!isObject(session)) throw badField('session', fieldRules.required);
  if (!isOld && session.type !== 'realtime' && session.type !== 'transcription')
    throw badField('session.type', { zh: '必须是 realtime 或 transcription', en: 'must be realtime or transcription' });
  const isTranscription = isOld ? form === 'transcription_sessions' : session.type === 'transcription';
  const { model, at } = isTranscription ? writerIn(session, isOld) : { model: session.model, at: isOld ? 'model' : 'session.model' };
  if (typeof model !== 'string' || model === '') throw badField(at, fieldRules.required);
  if (model.length > 200) throw badField(at, fieldRules.longest(200));
  if (JSON.stringify(session).length > longestSession)
    throw badField(isOld ? 'instructions' : 'session', fieldRules.longest(longestSession));
  const requested = isOld ? undefined : body.expires_after;
  return { model, isTranscription, session, expiresAt: Math.floor(now / 1000) + lifetimeIn(requested) };
}

/** https://platform.openai.com/docs/api-reference/realtime-sessions/create-transcription */
function writerIn(session: Record<string, unknown>, isOld: boolean): { model: unknown; at: string } {
  const { transcription } = inputOf(session);
  const model = isObject(transcription) ? transcription.model : undefined;
  return { model, at: isOld ? 'input_audio_transcription.model' : 'session.audio.input.transcription.model' };
}

function withoutSecret({ client_secret: _secret, ...session }: Record<string, unknown>): Record<string, unknown> {
  return session;
}

function lifetimeIn(requested: unknown): number {
  if (requested === undefined || requested === null) return usual;
  const seconds = isObject(requested) ? (requested.seconds ?? usual) : undefined;
  if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < shortest || seconds > longest) {
    throw badField('expires_after.seconds', {
      zh: `必须在 ${shortest} 和 ${longest} 之间`,
      en: `must be between ${shortest} and ${longest}`,
    });
  }
  return seconds;
}

export function sealSecret(secrets: Pick<Secrets, 'encrypt'>, secret: ClientSecret): string {
  return `${secretPrefix}${secrets.encrypt(JSON.stringify({ use: 'realtime', ...secret }), 'realtime_secret')}`;
}

/** @throws {AppError} `key_invalid`, `key_expired` */
export function openSecret(secrets: Pick<Secrets, 'decrypt'>, text: string, now: number): ClientSecret {
  if (text.length > longestSecret) throw new AppError('key_invalid');
  const secret = unsealed(secrets, text.slice(secretPrefix.length));
  if (secret === null) throw new AppError('key_invalid');
  if (secret.expiresAt * 1000 <= now) throw new AppError('key_expired');
  return secret;
}

function unsealed(secrets: Pick<Secrets, 'decrypt'>, sealed: string): ClientSecret | null {
  try {
    const {
      key,
      model,
      isTranscription = false,
      session,
      expiresAt,
    } = Sealed.parse(JSON.parse(secrets.decrypt(sealed, 'realtime_secret')));
    return { key, model, isTranscription, session, expiresAt };
  } catch {
    return null; // not a secret of Tidegate's
  }
}

/** Presents the secret to its caller, in either form. */
export function presentSecret(
  value: string,
  { session, expiresAt }: Omit<ClientSecret, 'key'>,
  form: SecretRequest,
): Record<string, unknown> {
  const reported = { object: form === 'transcription_sessions' ? 'realtime.transcription_session' : 'realtime.session', ...session };
  if (form !== 'client_secrets') return { ...reported, client_secret: { value, expires_at: expiresAt } };
  return { value, expires_at: expiresAt, session: reported };
}
