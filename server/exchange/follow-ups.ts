// Follow-up requests of a call whose result comes later: to the same provider, with the channel's key and proxy.
import type { FollowUp } from '#server/formats/awaiting.ts';
import { authorizeRequest, type UpstreamRequest } from './build-request.ts';
import type { Signing } from './auth/scheme.ts';
import type { Requesting } from './awaited-exchange.ts';
import type { Exchange, OpenRequest } from './exchange.ts';

interface Signer extends Pick<Signing, 'sender'> {
  now: () => number;
}

/** @param send sends a prepared request */
export function followUps(
  call: UpstreamRequest,
  { now, sender }: Signer,
  send: (request: OpenRequest, responseMs: number) => Exchange,
): Pick<Requesting, 'followUp' | 'openStream'> {
  const { awaiting: _awaiting, createSieve: _createSieve, renew: _renew, ...plain } = call;
  const { headers } = plain.route.format;
  const sign = async (request: UpstreamRequest, responseMs: number) =>
    send(await authorizeRequest(request, { now: now(), sender }), responseMs);
  return {
    followUp({ path, body }: FollowUp, responseMs) {
      const reported = body === undefined ? null : Buffer.from(JSON.stringify(body));
      const method = reported === null ? 'GET' : 'POST';
      return sign({ ...plain, isStream: false, path, method, headers: headers(false), body: reported ?? nothing }, responseMs);
    },
    openStream(address, responseMs) {
      const url = URL.parse(address);
      if (url === null || !isSameProvider(url, new URL(call.origin))) return null;
      const path = `${url.pathname}${url.search}`;
      return sign({ ...plain, origin: url.origin, path, method: 'GET', headers: headers(true), body: nothing }, responseMs);
    },
  };
}

const nothing = Buffer.alloc(0);

/**
 * Reports whether the key may be sent to a URL: the call's origin, or a sibling of its host (`stream.example.com` of
 * `api.example.com`).
 */
function isSameProvider(url: URL, called: URL): boolean {
  if (url.origin === called.origin) return true;
  const domain = called.hostname.split('.').slice(1);
  const isName = domain.length > 1 && !/^[\d.]+$|:/.test(called.hostname);
  return isName && url.protocol === 'https:' && url.port === '' && url.hostname.endsWith(`.${domain.join('.')}`);
}
