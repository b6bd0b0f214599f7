// Errors arrive with status 200, complete and in streams. https://cloud.baidu.com/doc/WENXINWORKSHOP/s/tlmyncueh
import { isObject } from '#server/framing/loose-json.ts';
import type { UpstreamErrorObject } from '../parts.ts';
import { withBilled } from '../token-usage.ts';
import { usageParts } from './token-usage.ts';

const byStatus: readonly (readonly [status: number, codes: readonly number[]])[] = [
  [400, [3, 100, 336_001, 336_002, 336_003, 336_004, 336_005, 336_006, 336_007, 336_103]],
  [401, [6, 13, 14, 110, 111]],
  [429, [4, 17, 18, 19, 336_100, 336_501, 336_502]],
];
const statuses: ReadonlyMap<unknown, number> = new Map(byStatus.flatMap(([status, codes]) => codes.map((code) => [code, status] as const)));

/** Returns null if there is none. */
export function readError(body: unknown): UpstreamErrorObject | null {
  if (!isObject(body) || typeof body.error_code !== 'number') return null;
  const { error_code: code, error_msg: message, usage } = body;
  const reported = typeof message === 'string' && message !== '' ? message : `error ${code}`;
  return withBilled({ message: reported, type: 'baidu_error', code, status: statuses.get(code) ?? 500 }, usageParts(usage));
}
