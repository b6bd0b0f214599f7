// Builds a GET request about a channel's account, with its key, through its proxy.
import { framings } from '#server/framing/registry.ts';
import type { Signing } from './auth/scheme.ts';
import { headersTo } from './provider-headers.ts';
import type { PreparedChannel } from './prepared-channel.ts';
import type { SendRequest } from './send.ts';

/** @param header header that carries the key instead of the usual one */
export function authorizedGet(channel: PreparedChannel, url: URL, signing: Signing, header?: string): SendRequest | Promise<SendRequest> {
  const { 'content-type': _noBody, ...called } = channel.headers;
  const { authorization: _calls, ...others } = called;
  const headers = header === undefined ? called : headersTo(channel, others, { [header]: channel.key });
  const { setting } = channel;
  const request: SendRequest = {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: 'GET',
    headers,
    body: null,
    proxy: setting.proxy,
    framing: framings.sse,
  };
  return header === undefined ? channel.authorize(request, signing) : request;
}
