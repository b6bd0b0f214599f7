// Error codes for which clients of drawings and music expect specific codes.
import type { ErrorCode } from '#shared/errors.ts';

export const moneyCodes: ReadonlySet<ErrorCode> = new Set(['insufficient_user_quota', 'pre_consume_token_quota_failed', 'key_exhausted']);
export const bodyCodes: ReadonlySet<ErrorCode> = new Set([
  'body_empty',
  'body_too_deep',
  'invalid_json',
  'invalid_json_long',
  'invalid_utf8',
  'invalid_request',
]);
