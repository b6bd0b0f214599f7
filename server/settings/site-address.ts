import type { Settings } from './settings.ts';

/** Reports whether Epay is usable: without a URL of this site, payment notifications could not arrive. */
export function canTakePayments(settings: Settings): boolean {
  const isReachable = settings.get('ServerAddress') !== '' || settings.get('CustomCallbackAddress') !== '';
  return isReachable && settings.get('PayAddress') !== '' && settings.get('EpayId') !== '' && settings.get('EpayKey') !== '';
}

/**
 * URL of this site; undefined if not set. Never taken from a request: an attacker could request a mail whose link leads
 * to another host.
 */
export function siteAddress(settings: Settings): string | undefined {
  return settings.get('ServerAddress') || undefined;
}

/** For fields that require a URL, and whose readers know the server: falls back to localhost. */
export function siteAddressOrLocal(settings: Settings, port: number): string {
  return siteAddress(settings) ?? `http://localhost:${port}`;
}
