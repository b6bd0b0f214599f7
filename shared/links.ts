// Decides which links are stored and shown: the server checks before it stores one, the console before it renders one. A browser finds more links
// that run script than a pattern for `javascript:` does: it drops tabs and line ends anywhere in a scheme, and blanks and controls before it
// (https://url.spec.whatwg.org/#url-parsing). So schemes are allowed by name, not forbidden.

/** `web`: pages. `client`: also programs on the reader's device that take an address and a key by a link. */
export type LinkKind = 'web' | 'client';

const webSchemes: ReadonlySet<string> = new Set(['http', 'https']);
/** As the programs register them. Add another one here. */
const clientSchemes: ReadonlySet<string> = new Set([
  'aionui',
  'ama',
  'botgem',
  'ccswitch',
  'chatbox',
  'chatwise',
  'cherrystudio',
  'deepchat',
  'fluentread',
  'lobehub',
  'opencat',
]);

/** Whether a program on the reader's device takes links of this scheme, as `cherrystudio`. */
export function isClientScheme(scheme: string): boolean {
  return clientSchemes.has(scheme);
}

/** What a browser makes of the text as a link, as far as it is one that may be followed; undefined: it is not. */
export function safeLink(text: string, kind: LinkKind): string | undefined {
  const link = withoutControls(text);
  const scheme = /^([a-z][a-z\d+.-]*):\/\/[^/\\]/i.exec(link)?.[1]?.toLowerCase();
  if (scheme === undefined || !(webSchemes.has(scheme) || (kind === 'client' && clientSchemes.has(scheme)))) return undefined;
  return webSchemes.has(scheme) && !URL.canParse(link) ? undefined : link;
}

/** Where a picture is: a page's address, a path of this site, or the picture itself as a data URL. */
export function safePicture(text: string): string | undefined {
  const link = withoutControls(text);
  // `//host` and `/\host` are not paths: browsers take them for other sites.
  if (/^\/(?![/\\])/.test(link) || /^data:image\/[\w.+-]+[;,]/i.test(link)) return link;
  return safeLink(link, 'web');
}

function withoutControls(text: string): string {
  return text.replace(/\p{Cc}/gu, '').trim();
}
