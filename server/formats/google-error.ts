// An error as Google's APIs tell it, in the words that every error of the relay has. https://cloud.google.com/apis/design/errors
import { isObject } from '#server/framing/loose-json.ts';

export interface GoogleError {
  type: string;
  code: string;
  /** https://docs.cloud.google.com/docs/reference/errors/google.api#errorreason */
  reason?: string;
  /** Seconds until it wants to be asked again; it sends no header of that. */
  retryAfter?: number;
}

/** Null: it is no such error object. */
export function readGoogleError({ code, status, details }: Readonly<Record<string, unknown>>): GoogleError | null {
  if (typeof status !== 'string' || !/^[A-Z][A-Z_]*$/.test(status) || typeof code !== 'number') return null;
  const list: readonly unknown[] = Array.isArray(details) ? details : [];
  const detail = (name: string) =>
    list.filter(isObject).find(({ '@type': type }) => typeof type === 'string' && type.endsWith(`google.rpc.${name}`));
  const reason = detail('ErrorInfo')?.['reason'];
  const retryAfter = secondsOf(detail('RetryInfo')?.['retryDelay']);
  return {
    type: code === 429 ? 'rate_limit_error' : code >= 500 ? 'server_error' : 'invalid_request_error',
    // A key that is not valid is a bad request there.
    code: reason === 'API_KEY_INVALID' ? 'invalid_api_key' : status,
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}

/** `34.074824224s` */
function secondsOf(duration: unknown): number | undefined {
  const seconds = typeof duration === 'string' && /^\d+(?:\.\d+)?s$/.test(duration) ? Number(duration.slice(0, -1)) : 0;
  return seconds > 0 ? seconds : undefined;
}
