// The site's logo: a URL, or an image uploaded into the setting. An uploaded one is served at its own path, so that the
// site's status, which every page requests, stays small.
import { createHash } from 'node:crypto';
import type { SiteIdentity } from '#server/http/site-manifest.ts';
import type { Settings } from './settings.ts';

export interface StoredLogo {
  /** `image/…` */
  type: string;
  bytes: Buffer<ArrayBuffer>;
  /** Size like `512x512`; undefined if only rendering would show it. */
  size: string | undefined;
  /** Changes with the image. */
  version: string;
}

const noLogo = { text: '', logo: null };
/** Caches the parsed setting, which rarely changes. */
let last: { text: string; logo: StoredLogo | null } = noLogo;

/** Returns null if the setting is empty or a URL. */
export function storedLogo(settings: Pick<Settings, 'get'>): StoredLogo | null {
  const text = settings.get('Logo');
  if (text !== last.text) last = { text, logo: readDataUrl(text) };
  return last.logo;
}

/** URL or path for browsers, or an empty string. */
export function logoAddress(settings: Pick<Settings, 'get' | 'basePath'>): string {
  const stored = storedLogo(settings);
  return stored === null ? settings.get('Logo') : `${settings.basePath}/logo?v=${stored.version}`;
}

/** Name and logo for use outside the console. */
export function siteIdentity(settings: Pick<Settings, 'get' | 'basePath'>): SiteIdentity {
  const { type, size } = storedLogo(settings) ?? {};
  return { name: settings.get('SystemName'), logo: logoAddress(settings), logoType: type, logoSize: size };
}

/** https://www.rfc-editor.org/rfc/rfc2397 */
function readDataUrl(text: string): StoredLogo | null {
  const [, type, parameters = '', data = ''] = /^data:(image\/[\w.+-]+)((?:;[\w=.+-]+)*),(.*)$/is.exec(text) ?? [];
  if (type === undefined) return null;
  const bytes = /;base64$/i.test(parameters) ? Buffer.from(data, 'base64') : Buffer.from(percentDecoded(data), 'latin1');
  const version = createHash('sha256').update(bytes).digest('base64url').slice(0, 12);
  return { type: type.toLowerCase(), bytes, size: pngSize(bytes), version };
}

/** https://www.w3.org/TR/png-3/#11IHDR */
function pngSize(bytes: Buffer): string | undefined {
  if (bytes.length < 24 || bytes.toString('latin1', 1, 4) !== 'PNG') return undefined;
  return `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`;
}

/** Decodes percent-encoding; characters of the result are bytes. */
function percentDecoded(text: string): string {
  return Buffer.from(text, 'utf8')
    .toString('latin1')
    .replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
