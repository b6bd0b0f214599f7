// Reads errors of Google's APIs into the shared error shape. https://cloud.google.com/apis/design/errors
import { isObject } from '#server/framing/loose-json.ts';

export interface GoogleError {
  type: string;
  code: string;
  /** https://docs.cloud.google.com/docs/reference/errors/google.api#errorreason */
  reason?: string;
  /** Seconds until a retry; Google sends no `Retry-After` header. */
  retryAfter?: number;
}

/** Returns null if the object is not such an error. */
export function readGoogleError({ code, status, details }: Readonly<Record<string, unknown>>): GoogleError | null {
  if (typeof status !== 'string' || !/^[A-Z][A-Z_]*$/.test(status) || typeof code !== 'number') return null;
  const list: readonly unknown[] = Array.isArray(details) ? details : [];
  const detail = (name: string) =>
    list.filter(isObject).find(({ '@type': type }) => typeof type === 'string' && type.endsWith(`google.rpc.${name}`));
  const reason = detail('ErrorInfo')?.['reason'];
  const retryAfter = secondsOf(detail('RetryInfo')?.['retryDelay']);
  return {
    type: code === 429 ? 'rate_limit_error' : code >= 500 ? 'server_error' : 'invalid_request_error',
    // Google reports an invalid key as 400.
    code: reason === 'API_KEY_INVALID' ? 'invalid_api_key' : status,
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}

/** Parses a duration such as `34.074824224s`. */
function secondsOf(duration: unknown): number | undefined {
  const seconds = typeof duration === 'string' && /^\d+(?:\.\d+)?s$/.test(duration) ? Number(duration.slice(0, -1)) : 0;
  return seconds > 0 ? seconds : undefined;
}
