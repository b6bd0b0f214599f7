// Errors of this format: a code in a message, whatever the status. https://www.xfyun.cn/doc/spark/%E6%8E%A5%E5%8F%A3%E8%AF%B4%E6%98%8E.html
import { isObject } from '#server/framing/loose-json.ts';
import type { UpstreamErrorObject } from '../parts.ts';
import { sparkStatuses } from '../spark-statuses.ts';
import { withBilled } from '../token-usage.ts';
import { usageParts } from './token-usage.ts';

/** Returns null if there is none. */
export function readError(message: unknown): UpstreamErrorObject | null {
  const { header, payload } = isObject(message) ? message : {};
  const reported = isObject(header) ? header : message;
  if (!isObject(reported) || typeof reported['code'] !== 'number' || reported['code'] === 0) return null;
  const { code, message: text } = reported;
  const status = sparkStatuses[code] ?? 500;
  const error = {
    message: typeof text === 'string' && text !== '' ? text : `error ${code}`,
    type: 'xunfei_error',
    code: filtered.has(code) ? 'content_filter' : code,
    status,
  };
  return withBilled(error, isObject(payload) ? usageParts(payload['usage']) : []);
}

const filtered: ReadonlySet<number> = new Set([10_013, 10_014, 10_019]);
