import type { Settings } from './settings.ts';

/** Whether people can pay by Epay: without an address of this site, the notice of a payment could not come back. */
export function canTakePayments(settings: Settings): boolean {
  const isReachable = settings.get('ServerAddress') !== '' || settings.get('CustomCallbackAddress') !== '';
  return isReachable && settings.get('PayAddress') !== '' && settings.get('EpayId') !== '' && settings.get('EpayKey') !== '';
}

/**
 * Where this site is reached; undefined while nobody has said so. It is never taken from a request: whoever asks for a mail could name an
 * address of theirs, and the link in it would lead there.
 */
export function siteAddress(settings: Settings): string | undefined {
  return settings.get('ServerAddress') || undefined;
}

/** For fields that must hold an address, and whose readers know the place that they asked: the machine's own where none is set. */
export function siteAddressOrLocal(settings: Settings, port: number): string {
  return siteAddress(settings) ?? `http://localhost:${port}`;
}
