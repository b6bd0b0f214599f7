// Where a request shows its key.

/** As far as it is looked at. */
export type Shown = Pick<Request, 'headers' | 'url'>;

/** What some clients of Midjourney proxies send as their key when it is elsewhere. */
const midjourneyProxy = /^(bearer\s+)?midjourney-proxy$/i;

/**
 * `Authorization` first; SDKs of Anthropic and Google and clients of Midjourney proxies name their key differently. Google's older ones
 * put it into the address. Empty: there is none.
 */
export function credentialOf({ headers, url }: Shown): string {
  const authorization = headers.get('authorization');
  if (authorization !== null && authorization !== '' && !midjourneyProxy.test(authorization)) return authorization;
  return (
    headers.get('x-api-key') ?? headers.get('api-key') ?? headers.get('x-goog-api-key') ?? headers.get('mj-api-secret') ?? keyOfAddress(url)
  );
}

/** Tasks pass the query on, so a key in it would be passed on too. */
const readPaths = /^(?:https?:\/\/[^/]*)?\/v1(?:beta)?\//;

function keyOfAddress(url: string): string {
  const query = url.indexOf('?');
  if (query < 0 || !readPaths.test(url)) return '';
  return new URLSearchParams(url.slice(query)).get('key') ?? '';
}
