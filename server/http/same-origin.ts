// Fetch metadata of browsers. Other clients do not send it.

/** Destinations of scripts and navigations. */
const requesting: ReadonlySet<string> = new Set(['empty', 'document']);

type RequestHeaders = Pick<Headers, 'get'>;

/** True if the browser reports a request of our own page, other than for an embedded image or frame. */
export function isSameOrigin(headers: RequestHeaders): boolean {
  return headers.get('sec-fetch-site') === 'same-origin' && !isDrawn(headers);
}

/** True if another site sends the request, or any page embeds it. */
export function isUnwanted(headers: RequestHeaders): boolean {
  return headers.get('sec-fetch-site') === 'cross-site' || isDrawn(headers);
}

/** https://www.w3.org/TR/fetch-metadata/#sec-fetch-dest-header */
function isDrawn(headers: RequestHeaders): boolean {
  const destination = headers.get('sec-fetch-dest');
  return destination !== null && !requesting.has(destination);
}
