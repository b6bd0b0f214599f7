import type { Settings } from './settings.ts';

/** Where this site is reached, as far as it has been told. */
export function siteAddress(settings: Settings, port: number): string {
  return settings.get('ServerAddress') || `http://localhost:${port}`;
}
