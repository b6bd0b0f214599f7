// Rate limits on this surface, in headers. https://platform.claude.com/docs/en/api/rate-limits#response-headers
import type { LimitLeft, LimitsLeft } from '../api-surface.ts';

/** A limit of tokens counts input and output together: each may take what is left of it, which its headers report. */
const tokenMeters = ['tokens', 'input-tokens', 'output-tokens'] as const;

export function limitHeaders({ requests, tokens }: LimitsLeft): Record<string, string> {
  const headers: Record<string, string> = {};
  if (requests !== undefined) write(headers, 'requests', requests);
  if (tokens !== undefined) for (const meter of tokenMeters) write(headers, meter, tokens);
  return headers;
}

function write(headers: Record<string, string>, meter: string, { limit, left, resetAt }: LimitLeft): void {
  headers[`anthropic-ratelimit-${meter}-limit`] = String(limit);
  headers[`anthropic-ratelimit-${meter}-remaining`] = String(left);
  // RFC 3339, without fractions, like the vendor.
  headers[`anthropic-ratelimit-${meter}-reset`] = new Date(Math.ceil(resetAt / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}
