// The request that opens a session at a channel's provider, before it is authorised.
import type { ChannelWay } from './find-way.ts';
import type { PreparedChannel } from './prepared-channel.ts';
import type { SendRequest } from './send.ts';

/** @param isBeta events have the shape that the beta had. https://platform.openai.com/docs/guides/realtime#beta-to-ga-migration */
export function handshakeOf(channel: PreparedChannel, way: ChannelWay, { isBeta }: { isBeta: boolean }): SendRequest {
  const { 'content-type': _type, accept: _accept, ...headers } = way.format.headers(true);
  return {
    origin: way.origin,
    path: isBeta ? way.betaPath : way.path,
    method: 'GET',
    headers: isBeta ? { ...headers, 'openai-beta': 'realtime=v1' } : headers,
    body: null,
    framing: way.framing,
    proxy: channel.setting.proxy,
  };
}
