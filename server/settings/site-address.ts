import type { Settings } from './settings.ts';

/** Whether people can pay by Epay: without an address of this site, the notice of a payment could not come back. */
export function canTakePayments(settings: Settings): boolean {
  const isReachable = settings.get('ServerAddress') !== '' || settings.get('CustomCallbackAddress') !== '';
  return isReachable && settings.get('PayAddress') !== '' && settings.get('EpayId') !== '' && settings.get('EpayKey') !== '';
}

/** Where this site is reached, as far as it has been told. */
export function siteAddress(settings: Settings, port: number): string {
  return settings.get('ServerAddress') || `http://localhost:${port}`;
}
