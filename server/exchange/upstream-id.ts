// The provider's id of a request, from the headers of its response.
import type { ResponseHeaders } from './send.ts';

/**
 * In this order: a gateway in between repeats headers of the provider behind it. OpenRouter's activity export lists generation ids, other gateways'
 * logs their own request ids.
 */
const idHeaders = ['x-generation-id', 'x-oneapi-request-id', 'x-request-id', 'request-id', 'apim-request-id', 'x-amzn-requestid'] as const;
const plainId = /^[\w.:/+=-]{4,128}$/;

/** Undefined if the response has none, or one in a form that no provider uses. */
export function upstreamIdOf(headers: ResponseHeaders): string | undefined {
  for (const name of idHeaders) {
    const id = headers[name];
    if (typeof id === 'string' && plainId.test(id)) return id;
  }
  return undefined;
}
