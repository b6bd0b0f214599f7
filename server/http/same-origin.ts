// What a browser says of who asks. Clients that are no browser send no such headers.

/** Who asks wants an answer: a script of the page, or somebody who goes there. */
const requesting: ReadonlySet<string> = new Set(['empty', 'document']);

type RequestHeaders = Pick<Headers, 'get'>;

/** The browser's word that a page of ours asks, and does not only draw what stands in a text: a picture, a frame. */
export function isSameOrigin(headers: RequestHeaders): boolean {
  return headers.get('sec-fetch-site') === 'same-origin' && !isDrawn(headers);
}

/** Another site's page asks, or any page draws it: whoever looks at that page wants nothing of us. */
export function isUnwanted(headers: RequestHeaders): boolean {
  return headers.get('sec-fetch-site') === 'cross-site' || isDrawn(headers);
}

/** https://www.w3.org/TR/fetch-metadata/#sec-fetch-dest-header */
function isDrawn(headers: RequestHeaders): boolean {
  const destination = headers.get('sec-fetch-dest');
  return destination !== null && !requesting.has(destination);
}
