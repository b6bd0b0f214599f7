// Reads errors of this format's providers in bodies of status 200 and in events.
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { readGoogleError } from '../google-error.ts';
import type { ProviderTraits } from '../provider-traits.ts';
import { statusInBody } from '../status-in-body.ts';
import { endsPlainly, readChoiceEnding } from './finish-reason.ts';
import { readTokenUsage } from './token-usage.ts';
import { withTier } from '../token-usage.ts';
import type { ErrorInResponse } from '../stream-pipe.ts';

/** Returns null if there is none. Searches the text first: quotes in JSON strings are escaped, so the marker is a key or a whole value. */
export function errorIn(text: string, provider: ProviderTraits | null): ErrorInResponse | null {
  const marker = provider?.errors?.marker;
  const isSuspect = text.includes('"error"') || text.includes('"success"') || reasonKey.test(text);
  if (!isSuspect && (marker === undefined || !text.includes(marker))) return null;
  const body = parseObject(text);
  return body === null ? null : errorOf(body, provider);
}

/** Reads the error of a parsed body. @param isPlain result of `allEndPlainly`, where that is known */
export function errorOf(body: Record<string, unknown>, provider: ProviderTraits | null, isPlain = false): ErrorInResponse | null {
  const mayHave = body.error !== undefined || body.success !== undefined;
  const error = (mayHave ? errorObject(body) : null) ?? (provider?.errors === undefined ? null : codedError(body, provider));
  // Output of a failed choice is not forwarded and not charged.
  if (error === null) return isPlain ? null : failedChoice(body);
  if (body.usage === undefined) return error;
  // The provider bills what it read and wrote before the error.
  const usage = withTier(readTokenUsage(body.usage, provider?.responses), body.service_tier);
  return usage === null ? error : { ...error, usage };
}

/** Finish reason other than `null`. */
const reasonKey = /_reason"\s*:\s*"/;

/** Returns the error of a failed choice, which has an error object or a failure reason. */
function failedChoice({ choices }: Record<string, unknown>): ErrorInResponse | null {
  for (const choice of Array.isArray(choices) ? choices : []) {
    if (!isObject(choice)) continue;
    const reported = isObject(choice.error) ? errorObject({ error: choice.error }) : null;
    if (reported !== null) return reported;
    const ending = endsPlainly(choice) ? null : readChoiceEnding(choice);
    if (ending !== null && 'failure' in ending) return ending.failure;
  }
  return null;
}

/** `{"error": …}` instead of a response. */
function errorObject(body: Record<string, unknown>): ErrorInResponse | null {
  const { error } = body;
  if (isObject(error) && (isFilled(error.message) || isFilled(error.type))) {
    const { code } = error;
    // Google's service for this format.
    const wait = readGoogleError(error)?.retryAfter;
    return {
      ...(wait === undefined ? {} : { retryAfter: wait }),
      status: statusInBody(error),
      message: isFilled(error.message) ? error.message : String(error.type),
      type: isFilled(error.type) ? error.type : 'upstream_error',
      param: isFilled(error.param) ? error.param : '',
      code: typeof code === 'string' || typeof code === 'number' ? code : null,
    };
  }
  const first = body.success === false && Array.isArray(body.errors) && isObject(body.errors[0]) ? body.errors[0].message : undefined;
  const message = isFilled(error) ? error : body.success === false ? (first ?? body.message) : undefined;
  if (!isFilled(message) || Array.isArray(body.choices)) return null;
  return { status: 502, message, type: 'upstream_error', param: '', code: null };
}

/** Provider-specific error, such as MiniMax's `base_resp`. */
function codedError(body: Record<string, unknown>, provider: ProviderTraits | null): ErrorInResponse | null {
  const rule = provider?.errors;
  if (provider === null || rule === undefined) return null;
  const code = at(body, rule.code);
  if ((typeof code !== 'number' && typeof code !== 'string') || code === rule.ok) return null;
  const message = at(body, rule.message);
  return {
    status: statusOf(String(code), rule.statuses),
    message: isFilled(message) ? message : `error ${code}`,
    type: `${provider.name.toLowerCase()}_error`,
    param: '',
    code,
  };
}

function statusOf(code: string, statuses: Readonly<Record<string, number>>): number {
  if (Object.hasOwn(statuses, code)) return statuses[code] ?? 500;
  const begins = Object.keys(statuses).find((name) => name.endsWith('*') && code.startsWith(name.slice(0, -1)));
  return begins === undefined ? 500 : (statuses[begins] ?? 500);
}

function at(body: unknown, path: string): unknown {
  let value = body;
  for (const part of path.split('.')) value = isObject(value) ? value[part] : undefined;
  return value;
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
