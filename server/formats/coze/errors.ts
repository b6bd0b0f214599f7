// Errors arrive with status 200: as a code without data, in a failed chat, and as stream events.
// https://www.coze.cn/open/docs/developer_guides/coze_error_codes
import { isObject } from '#server/framing/loose-json.ts';
import type { UpstreamErrorObject } from '../parts.ts';
import { withBilled } from '../token-usage.ts';
import { usageParts } from './token-usage.ts';

const statuses: Readonly<Record<number, number>> = {
  4000: 400,
  4001: 400,
  4002: 400,
  4003: 400,
  4004: 400,
  4005: 400,
  4006: 404,
  4007: 400,
  4008: 429,
  4009: 429,
  4010: 400,
  4011: 402,
  4014: 400,
  4015: 404,
  4016: 409,
  4019: 402,
  4020: 429,
  4022: 402,
  4027: 402,
  4028: 402,
  4100: 401,
  4101: 403,
  4105: 400,
  4200: 404,
  // Invalid or expired token.
  700_012_006: 401,
};

/** Returns null if there is none. */
export function readError(body: unknown): UpstreamErrorObject | null {
  if (!isObject(body)) return null;
  const { code, msg, data } = body;
  const chat = isObject(data) ? data : body;
  const error = isCode(code) ? errorOf(code, msg) : unfinished(chat);
  return error === null ? null : withBilled(error, usageParts(chat.usage));
}

/** A chat that ended without an answer. */
function unfinished({ status, last_error: error }: Readonly<Record<string, unknown>>): UpstreamErrorObject | null {
  if (status === 'failed') {
    const { code, msg } = isObject(error) ? error : {};
    return errorOf(isCode(code) ? code : 5000, msg);
  }
  if (status === 'canceled') return errorOf(5000, 'the chat was cancelled');
  return status === 'requires_action' ? errorOf(4000, 'the bot asks its caller to run a plugin, which cannot be done here') : null;
}

function errorOf(code: string | number, message: unknown): UpstreamErrorObject {
  return {
    message: typeof message === 'string' && message !== '' ? message : `error ${code}`,
    type: 'coze_error',
    code,
    status: statuses[Number(code)] ?? 500,
  };
}

function isCode(value: unknown): value is string | number {
  return (typeof value === 'number' && value !== 0) || (typeof value === 'string' && value !== '' && value !== '0');
}
