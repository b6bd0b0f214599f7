// Facts of a request known before its body is read.
import { isRelayPath } from '#shared/paths.ts';
import type { AppContext } from '#server/context.ts';
import type { RequestFacts } from '#server/http/call.ts';
import { createAddressReader, isPrivateAddress, lastForwarded, normalise } from '#server/http/client-address.ts';
import type { Connection } from '#server/http/connection.ts';
import { callerLanguage, languageOf } from '#server/http/language.ts';
import { newRequestId } from '#server/http/request-id.ts';

export type FactReader = (request: Request, connection: Connection | null) => RequestFacts;

export function createFactReader(context: AppContext): FactReader {
  const addresses = createAddressReader(context.env.TRUSTED_PROXIES);
  let hasWarned = false;

  /** Address of the peer, if it is an untrusted private proxy that forwards clients. */
  function untrustedProxyOf(headers: Headers, peer: string): string | null {
    if (!(headers.has('x-forwarded-for') || headers.has('x-real-ip')) || addresses.isTrusted(peer) || !isPrivateAddress(peer)) return null;
    const proxy = normalise(peer);
    if (!hasWarned) {
      hasWarned = true;
      context.log.warn(
        { peer: proxy },
        `The proxy ${proxy} is not trusted: its clients share one address in logs, and keys limited to addresses are refused. Set TRUSTED_PROXIES=${proxy}`,
      );
    }
    return proxy;
  }

  return (request, connection) => {
    const { headers } = request;
    const socket = connection?.req.socket;
    const peer = socket?.remoteAddress ?? '';
    const url = requestUrl(request, connection);
    const isProxied = addresses.isTrusted(peer);
    const untrustedProxy = untrustedProxyOf(headers, peer);
    const ip = addresses.read(request, connection);
    return {
      requestId: newRequestId(context),
      ip,
      // The proxy's own entry is the last; earlier ones may be forged by the client.
      source: untrustedProxy === null ? ip : (lastForwarded(headers) ?? ip),
      untrustedProxy,
      isSecure:
        (socket !== undefined && 'encrypted' in socket && socket.encrypted === true) ||
        (isProxied && headers.get('x-forwarded-proto')?.split(',').at(-1)?.trim() === 'https'),
      language: isRelayPath(url.pathname) ? callerLanguage(headers) : languageOf(headers.get('accept-language')),
      headers,
      url,
    };
  };
}

/** URL of a request. Its host is a placeholder: the client's `Host` is not trusted. */
function requestUrl(request: Request, connection: Connection | null): URL {
  const target = connection?.req.url;
  if (target === undefined) return new URL(request.url);
  if (target.startsWith('/')) return new URL(`http://localhost${target}`);
  return URL.parse(target) ?? new URL('http://localhost/');
}

/** Path of a request as sent, without query and trailing slash. Avoids parsing a URL. */
export function requestPath(request: Request, connection: Connection | null): string {
  const target = connection?.req.url;
  if (target === undefined || !target.startsWith('/')) return trimSlash(requestUrl(request, connection).pathname);
  const query = target.indexOf('?');
  return trimSlash(query === -1 ? target : target.slice(0, query));
}

function trimSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
