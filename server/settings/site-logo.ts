// The site's logo: an address, or a picture that was uploaded and stands in the setting itself. That is served at an address of its own:
// the status of the site, which every page asks for, stays small.
import { createHash } from 'node:crypto';
import type { SiteIdentity } from '#server/http/site-manifest.ts';
import type { Settings } from './settings.ts';

export interface StoredLogo {
  /** `image/…` */
  type: string;
  bytes: Buffer<ArrayBuffer>;
  /** `512x512`; undefined: only its drawing tells. */
  size: string | undefined;
  /** Changes with the picture. */
  version: string;
}

const noLogo = { text: '', logo: null };
/** The setting changes seldom: its last text is not read twice. */
let last: { text: string; logo: StoredLogo | null } = noLogo;

/** Null: the setting is empty or an address. */
export function storedLogo(settings: Pick<Settings, 'get'>): StoredLogo | null {
  const text = settings.get('Logo');
  if (text !== last.text) last = { text, logo: readDataUrl(text) };
  return last.logo;
}

/** What browsers draw: an address, a path of this site, or nothing. */
export function logoAddress(settings: Pick<Settings, 'get'>): string {
  const stored = storedLogo(settings);
  return stored === null ? settings.get('Logo') : `/logo?v=${stored.version}`;
}

/** What the site is called and shown as, where it is not a page of the console. */
export function siteIdentity(settings: Pick<Settings, 'get'>): SiteIdentity {
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

/** A text whose letters are bytes. */
function percentDecoded(text: string): string {
  return Buffer.from(text, 'utf8')
    .toString('latin1')
    .replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
