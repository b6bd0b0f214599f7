// Builds the request that opens a realtime session at a channel's provider, before authorization.
import type { ChannelRoute } from './find-route.ts';
import { headersTo } from './provider-headers.ts';
import type { PreparedChannel } from './prepared-channel.ts';
import type { SendRequest } from './send.ts';

export interface SessionRequest {
  /** Whether events use the beta format. https://platform.openai.com/docs/guides/realtime#beta-to-ga-migration */
  isBeta: boolean;
  /**
   * Whether the session transcribes: its model is set in the session, not in the URL.
   * https://platform.openai.com/docs/guides/realtime-transcription
   */
  isTranscription: boolean;
}

export function handshakeOf(channel: PreparedChannel, route: ChannelRoute, { isBeta, isTranscription }: SessionRequest): SendRequest {
  const path = isBeta ? route.betaPath : route.path;
  const { 'content-type': _type, accept: _accept, ...headers } = route.format.headers(true);
  return {
    origin: route.origin,
    path: isTranscription ? path.replace(/(?<=[?&])(?:model|deployment)=[^&]*/, 'intent=transcription') : path,
    method: 'GET',
    headers: headersTo(channel, headers, isBeta ? { 'openai-beta': 'realtime=v1' } : {}),
    body: null,
    framing: route.framing,
    proxy: channel.setting.proxy,
  };
}
