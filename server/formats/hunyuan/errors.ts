// Errors arrive with status 200: those of all Tencent services, and this format's own in streams.
// https://cloud.tencent.com/document/product/1729/101838
import { isObject } from '#server/framing/loose-json.ts';
import type { UpstreamErrorObject } from '../parts.ts';
import { withBilled } from '../token-usage.ts';
import { usageParts } from './token-usage.ts';

const byBeginning: readonly (readonly [beginning: string, status: number])[] = [
  ['InvalidParameter', 400],
  ['MissingParameter', 400],
  ['UnknownParameter', 400],
  ['AuthFailure', 401],
  ['UnauthorizedOperation', 403],
  ['ResourceUnavailable', 403],
  ['FailedOperation.ResourcePackExhausted', 403],
  ['LimitExceeded', 429],
  ['RequestLimitExceeded', 429],
];
/** Timeout of the model, in streams. */
const timeoutCode = 4001;

/** Returns null if there is none. */
export function readError(body: unknown): UpstreamErrorObject | null {
  if (!isObject(body)) return null;
  const { Response: inside, ErrorMsg: inStream } = body;
  const response = isObject(inside) ? inside : body;
  const billed = (error: UpstreamErrorObject) => withBilled(error, usageParts(response['Usage']));
  const error = response['Error'];
  if (isObject(error)) return billed(errorOf(error['Code'], error['Message']));
  if (!isObject(inStream) || !(isCode(inStream['Code']) || isFilled(inStream['Msg']))) return null;
  return billed(errorOf(inStream['Code'], inStream['Msg']));
}

function errorOf(code: unknown, message: unknown): UpstreamErrorObject {
  const reported = isCode(code) ? code : 'unknown';
  const status = byBeginning.find(([beginning]) => String(reported).startsWith(beginning))?.[1] ?? (reported === timeoutCode ? 504 : 500);
  return { message: isFilled(message) ? message : `error ${reported}`, type: 'tencent_error', code: reported, status };
}

function isCode(value: unknown): value is string | number {
  return isFilled(value) || (typeof value === 'number' && value !== 0);
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
