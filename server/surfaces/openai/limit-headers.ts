// Rate limits on this surface, in headers. https://platform.openai.com/docs/guides/rate-limits#rate-limits-in-headers
import type { LimitsLeft } from '../api-surface.ts';

export function limitHeaders({ requests, tokens }: LimitsLeft): Record<string, string> {
  const headers: Record<string, string> = {};
  if (requests !== undefined) {
    headers['x-ratelimit-limit-requests'] = String(requests.limit);
    headers['x-ratelimit-remaining-requests'] = String(requests.left);
    headers['x-ratelimit-reset-requests'] = durationText(requests.resetMs);
  }
  if (tokens !== undefined) {
    headers['x-ratelimit-limit-tokens'] = String(tokens.limit);
    headers['x-ratelimit-remaining-tokens'] = String(tokens.left);
    headers['x-ratelimit-reset-tokens'] = durationText(tokens.resetMs);
  }
  return headers;
}

/** Duration as the vendor writes it: `1s`, `6m0s`, `1h2m3s`. */
export function durationText(ms: number): string {
  const total = Math.ceil(ms / 1000);
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor(total / 60) % 60;
  const seconds = total % 60;
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}
