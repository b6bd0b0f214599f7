import { describe, expect, test } from 'vitest';
import { errors } from '#shared/errors.ts';
import { adviceOf } from './test-advice.ts';

test.each([
  ['status code 400: max_tokens is too large', 'request'],
  ['status code 401: Incorrect API key provided', 'key'],
  ['status code 402: Insufficient Balance', 'credit'],
  ['status code 403: You have no access to the model', 'rights'],
  ['status code 404: The model does not exist', 'model'],
  ['status code 405: method not allowed', 'model'],
  ['status code 422: unknown field', 'request'],
  ['status code 429: You exceeded your current quota', 'busy'],
  ['status code 503: overloaded', 'fault'],
  ['the answer of status code 401: no', undefined],
  ['AppIdNoAuthError', undefined],
  ['', undefined],
])('%s: %s', (message, advice) => {
  expect(adviceOf(message)).toBe(advice);
});

describe.each(['zh', 'en'] as const)('sentences of ours in %s', (language) => {
  test.each([
    ['do_request_failed', 'unreachable'],
    ['upstream_timeout', 'slow'],
    ['invalid_upstream_response', 'foreign'],
    ['format_unsupported', 'unserved'],
  ] as const)('%s: %s', (code, advice) => {
    expect(adviceOf(errors[code][language])).toBe(advice);
    expect(adviceOf(`${errors[code][language]} (connect ECONNREFUSED ***)`)).toBe(advice);
  });
});
