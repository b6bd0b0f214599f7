// Determines the kind and model of a requested session by its URL and, if the key is a client secret, by the secret.
import { AppError } from '#shared/errors.ts';
import { callAddress } from '#server/formats/call-address.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import { realtimeEndpoint } from '#server/call/endpoints.ts';
import { supportsCall } from '#server/call/routing/supports-call.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { ClientSecret } from './client-secret.ts';
import { refused } from './session-events.ts';

export interface SessionRequest {
  /** Model for responses or, in a transcription session, for transcription. It determines the channel. */
  model: string;
  /** Whether events have the shape of the beta. */
  isBeta: boolean;
  /** The session only transcribes, without responses. */
  isTranscription: boolean;
  /** Settings to apply before the client is notified of the session; null for the provider's defaults. */
  preset: Record<string, unknown> | null;
  /** `api-version` of the URL. */
  version: string | undefined;
}

interface Requesting {
  services: RelayServices;
  request: Request;
  admission: Admission;
  /** Content of the client secret; null if the key is none. */
  secret: Pick<ClientSecret, 'model' | 'session' | 'isTranscription'> | null;
}

const betaProtocol = 'openai-beta.realtime-v1';
const noCalls = { zh: '此处不支持 WebRTC 和 SIP 通话', en: 'calls by WebRTC and SIP are not served here' };
const otherSession = { zh: '该密钥是为另一种会话签发的', en: 'the key was made for another kind of session' };
const onlyTranscription = { zh: '必须是 transcription', en: 'must be transcription' };

/** @throws {AppError} */
export function readSessionRequest({ services, request, admission, secret }: Requesting): SessionRequest {
  const { query } = callAddress(request, { model: undefined, verb: undefined });
  if (query.get('call_id') !== null) throw refused('call_id', noCalls);
  const intent = query.get('intent');
  if (intent !== null && intent !== 'transcription') throw refused('intent', onlyTranscription);
  const isTranscription = secret?.isTranscription ?? intent !== null;
  if (intent !== null && !isTranscription) throw refused('intent', otherSession);
  const named = query.get('model') ?? query.get('deployment') ?? secret?.model ?? '';
  if (secret !== null && named !== secret.model) throw new AppError('model_denied', { model: named });
  const model = named === '' && isTranscription ? writerFor(services, admission) : named;
  if (model === null || model === '') throw new AppError('model_required', {}, { field: 'model' });
  const form = { model, isTranscription, isBeta: isOfBeta(request.headers), version: query.get('api-version') ?? undefined };
  return { ...form, preset: secret === null ? namedWriter(form, named) : presetOf(secret.session) };
}

/** Returns the settings without the model, which is in the handshake. */
function presetOf({ model: _model, ...session }: Record<string, unknown>): Record<string, unknown> {
  return session;
}

/** Returns the setting of the transcription model, which the provider's URL cannot contain. */
function namedWriter({ isTranscription, isBeta, model }: Omit<SessionRequest, 'preset'>, named: string): SessionRequest['preset'] {
  if (!isTranscription || named === '') return null;
  return isBeta ? { input_audio_transcription: { model } } : { type: 'transcription', audio: { input: { transcription: { model } } } };
}

function isOfBeta(headers: Headers): boolean {
  const named = headers.get('sec-websocket-protocol')?.split(',') ?? [];
  return headers.get('openai-beta')?.includes('realtime=v1') === true || named.some((name) => name.trim() === betaProtocol);
}

/** Transcription models of the vendor, in order of preference. https://developers.openai.com/api/docs/guides/realtime-transcription */
const usualWriters = ['gpt-live-transcribe', 'gpt-realtime-whisper', 'gpt-4o-transcribe', 'gpt-4o-mini-transcribe', 'whisper-1'];

/**
 * Returns a transcription model that the caller may use, for choosing the channel; null if there is none. Clients set the model
 * after the session is open, when the channel is already chosen. To choose another channel, a client sets the model in the URL.
 */
function writerFor({ channels, gate, context }: RelayServices, admission: Admission): string | null {
  const { group, user } = admission;
  const served = channels.enabledModels([group]).filter((model) => /transcri|whisper/.test(model));
  const inOrder = [...usualWriters.filter((model) => served.includes(model)), ...served];
  const isServed = (model: string) =>
    channels.tiers(group, model).some((tier) => tier.channels.some((channel) => writesInSession(channel, model)));
  const isPriced = (model: string) => {
    try {
      context.quotes.priceOf(model, group, user);
      return true;
    } catch (failure) {
      if (failure instanceof AppError) return false;
      throw failure;
    }
  };
  return inOrder.find((model) => gate.mayUse(admission, model) && isServed(model) && isPriced(model)) ?? null;
}

/** Reports whether the channel can run a transcription session with the model. */
export function writesInSession(channel: PreparedChannel, model: string): boolean {
  return supportsCall(channel, realtimeEndpoint, model) && channel.route(realtimeEndpoint.dialect, 'transcriptions', model) !== null;
}
