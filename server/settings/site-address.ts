import type { Env } from '#server/env.ts';
import { withoutTrailing } from '#shared/trailing.ts';
import type { Settings } from './settings.ts';

/** Reports whether Epay is usable: without a URL of this site, payment notifications could not arrive. */
export function canTakePayments(settings: Settings): boolean {
  const isReachable = settings.get('ServerAddress') !== '' || settings.get('CustomCallbackAddress') !== '';
  return isReachable && settings.get('PayAddress') !== '' && settings.get('EpayId') !== '' && settings.get('EpayKey') !== '';
}

/**
 * URL of this site, with its BASE_PATH; undefined if not set. Never taken from a request: an attacker could request a mail whose link leads
 * to another host.
 */
export function siteAddress(settings: Settings): string | undefined {
  const address = settings.get('ServerAddress');
  return address === '' ? undefined : atBasePath(settings, address);
}

/** URL that payment providers call, with BASE_PATH; undefined if not set. */
export function callbackSite(settings: Settings): string | undefined {
  const address = settings.get('CustomCallbackAddress');
  return address === '' ? undefined : atBasePath(settings, address);
}

/** For fields that require a URL, and whose readers know the server: falls back to localhost. */
export function siteAddressOrLocal(settings: Settings, { PORT, TLS_CERT }: Pick<Env, 'PORT' | 'TLS_CERT'>): string {
  return siteAddress(settings) ?? atBasePath(settings, `${TLS_CERT === undefined ? 'http' : 'https'}://localhost:${PORT}`);
}

/** `address` may be entered with or without BASE_PATH. */
export function atBasePath({ basePath }: Pick<Settings, 'basePath'>, address: string): string {
  if (basePath === '') return address;
  const site = withoutTrailing(address, '/');
  return site.endsWith(basePath) ? site : `${site}${basePath}`;
}
