import type { TokenApplication } from '#shared/tokens.ts';

/** Name of an application, as it calls itself, and where its key was handed to. */
export function appText({ name, target, ip }: TokenApplication): string {
  return [...new Set([name, target, ip])].filter((part) => part !== '').join(' · ');
}
