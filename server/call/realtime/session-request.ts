// Determines the requested kind of session and its model: by its address, and by the key if that was made for browsers.
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
  /** Model for responses; or for transcription, by which its channel is chosen. */
  model: string;
  /** Events have the shape of the beta. */
  isBeta: boolean;
  /** The session only transcribes, without responses. */
  isTranscription: boolean;
  /** Its settings before its client is notified of it; null: the provider's defaults. */
  preset: Record<string, unknown> | null;
  /** `api-version` of its address. */
  version: string | undefined;
}

interface Requesting {
  services: RelayServices;
  request: Request;
  admission: Admission;
  /** What its key is bound to; null: to nothing. */
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

/** All but what the handshake says. */
function presetOf({ model: _model, ...session }: Record<string, unknown>): Record<string, unknown> {
  return session;
}

/** The provider's address cannot name the transcription model: it is set before any audio is sent. */
function namedWriter({ isTranscription, isBeta, model }: Omit<SessionRequest, 'preset'>, named: string): SessionRequest['preset'] {
  if (!isTranscription || named === '') return null;
  return isBeta ? { input_audio_transcription: { model } } : { type: 'transcription', audio: { input: { transcription: { model } } } };
}

function isOfBeta(headers: Headers): boolean {
  const named = headers.get('sec-websocket-protocol')?.split(',') ?? [];
  return headers.get('openai-beta')?.includes('realtime=v1') === true || named.some((name) => name.trim() === betaProtocol);
}

/** Of the vendor, rather the first ones. https://developers.openai.com/api/docs/guides/realtime-transcription */
const usualWriters = ['gpt-live-transcribe', 'gpt-realtime-whisper', 'gpt-4o-transcribe', 'gpt-4o-mini-transcribe', 'whisper-1'];

/**
 * Clients set the transcription model after their session is open, but a channel is chosen before: by a model that the caller may use. Null: there is
 * none. To choose another channel, the client sets the model in the address.
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

/** A session of that channel can be for nothing but what that model writes. */
export function writesInSession(channel: PreparedChannel, model: string): boolean {
  return supportsCall(channel, realtimeEndpoint, model) && channel.route(realtimeEndpoint.dialect, 'transcriptions', model) !== null;
}
