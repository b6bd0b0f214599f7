// Finds the key in a request.

/** Parts of a request that may contain the key. */
export type Shown = Pick<Request, 'headers' | 'url'>;

/** Placeholder that some clients of Midjourney proxies send in `Authorization` if the key is elsewhere. */
const midjourneyProxy = /^(bearer\s+)?midjourney-proxy$/i;

/**
 * Returns the credential; empty if there is none. `Authorization` takes precedence over the headers of Anthropic's and
 * Google's SDKs and of Midjourney proxies; Google's older SDKs send the key in the query.
 */
export function credentialOf({ headers, url }: Shown): string {
  const authorization = headers.get('authorization');
  if (authorization !== null && authorization !== '' && !midjourneyProxy.test(authorization)) return authorization;
  return (
    headers.get('x-api-key') ?? headers.get('api-key') ?? headers.get('x-goog-api-key') ?? headers.get('mj-api-secret') ?? keyOfAddress(url)
  );
}

/** Paths whose query may contain the key. Not those of tasks, which forward the query. */
const readPaths = /^(?:https?:\/\/[^/]*)?\/v1(?:beta)?\//;

function keyOfAddress(url: string): string {
  const query = url.indexOf('?');
  if (query < 0 || !readPaths.test(url)) return '';
  return new URLSearchParams(url.slice(query)).get('key') ?? '';
}
