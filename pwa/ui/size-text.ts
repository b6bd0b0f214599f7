import type { Format } from '#pwa/ui/billing/format.ts';

/** `812 kB`, `4.6 MB`, `1.2 GB`. */
export function sizeText(bytes: number, format: Pick<Format, 'ratio' | 'count'>): string {
  if (bytes >= 1e9) return `${format.ratio(Math.round(bytes / 1e8) / 10)} GB`;
  if (bytes >= 1e6) return `${format.ratio(Math.round(bytes / 1e5) / 10)} MB`;
  return `${format.count(Math.ceil(bytes / 1e3))} kB`;
}
