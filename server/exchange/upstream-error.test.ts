import { reasonText } from '#shared/errors.ts';
import { describe, expect, it } from 'vitest';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { maskSecrets } from './mask-secrets.ts';
import { invalidResponse, networkFailure, parseUpstreamError, timeoutFailure } from './upstream-error.ts';
import { autoDisableReason, isRetryable } from './failure-consequences.ts';
import { providerOf } from '#server/providers/registry.ts';
import type { Provider } from '#server/providers/spec.ts';

const channel = buildPreparedChannel({ status_code_mapping: '{"429":"503","404":400}', base_url: 'https://secret-host.example/v9' });
const now = Date.UTC(2026, 0, 1);

function parse(status: number, body: unknown, headers: Record<string, string> = {}) {
  return parseUpstreamError({ status, text: typeof body === 'string' ? body : JSON.stringify(body), headers, channel, now });
}

describe('an upstream error', () => {
  it('keeps all members of an error object', () => {
    expect(parse(403, { error: { message: 'no', type: 't', param: 'p', code: 17 } })).toMatchObject({
      kind: 'response',
      status: 403,
      message: 'no',
      type: 't',
      param: 'p',
      code: 17,
    });
  });

  it.each([
    [{ message: 'a', msg: 'b' }, 'a'],
    [{ msg: 'b', err: 'c' }, 'b'],
    [{ err: 'c' }, 'c'],
    [{ error_msg: 'd' }, 'd'],
    [{ header: { message: 'e' } }, 'e'],
    [{ response: { error: { message: 'f' } } }, 'f'],
    [{ error: 'g' }, 'g'],
    [{ success: false, errors: [{ code: 1, message: 'h' }] }, 'h'],
    [{ detail: [{ msg: 'i', loc: [] }] }, 'i'],
    [{ error: { message: '' }, message: 'j' }, 'j'],
    [[{ msg: 'k' }], 'k'],
    [{}, 'bad response status code 418'],
    [[], 'bad response status code 418'],
    [{ error: 7, message: {} }, 'bad response status code 418'],
    ['<html>', 'bad response status code 418'],
    ['', 'bad response status code 418'],
  ])('%j has the message %s', (body, message) => {
    expect(parse(418, body)).toMatchObject({ message, type: 'upstream_error', code: 'bad_response_status_code', param: '418' });
  });

  it('has the field that FastAPI names', () => {
    const body = { detail: [{ type: 'extra_forbidden', loc: ['body', 'stream_format'], msg: 'Extra inputs are not permitted' }] };
    expect(parse(422, body)).toMatchObject({ param: 'stream_format', message: 'Extra inputs are not permitted' });
  });

  it('has the mapped status, and 502 if the status is not an error', () => {
    expect(parse(429, {})).toMatchObject({ status: 503, upstreamStatus: 429 });
    expect(parse(404, {})).toMatchObject({ status: 400, upstreamStatus: 404 });
    for (const status of [201, 204, 302, 307, 700]) expect(parse(status, {})).toMatchObject({ status: 502, upstreamStatus: status });
  });

  it('has the retry time of any header that states it', () => {
    expect(parse(429, {}, { 'retry-after': '7' }).retryAfter).toBe(7);
    expect(parse(429, {}, { 'retry-after': new Date(now + 30_000).toUTCString() }).retryAfter).toBe(30);
    expect(parse(429, {}, { 'retry-after': '9', 'retry-after-ms': '1500' }).retryAfter).toBe(1.5);
    for (const value of ['', 'soon', '-3', '0']) expect(parse(429, {}, { 'retry-after': value }).retryAfter).toBeUndefined();
  });

  it.each([
    [400, 'INVALID_ARGUMENT', 'invalid_request_error'],
    [404, 'NOT_FOUND', 'invalid_request_error'],
    [429, 'RESOURCE_EXHAUSTED', 'rate_limit_error'],
    [503, 'UNAVAILABLE', 'server_error'],
  ])('of Google with status %i has a code and a type by name', (code, status, type) => {
    expect(parse(code, { error: { code, message: 'm', status } })).toMatchObject({ message: 'm', type, code: status, param: '' });
    expect(parse(code, { error: { code, message: 'm' } })).toMatchObject({ type: '', code });
  });

  it('of Google has the retry time and the invalid key that its details report', () => {
    const rpc = 'type.googleapis.com/google.rpc.';
    const error = (detail: object) => ({
      error: { code: 429, message: 'm', status: 'RESOURCE_EXHAUSTED', details: [{ '@type': 'x' }, 7, detail] },
    });
    expect(parse(429, error({ '@type': `${rpc}RetryInfo`, retryDelay: '34.5s' })).retryAfter).toBe(34.5);
    expect(parse(429, error({ '@type': `${rpc}RetryInfo`, retryDelay: '34.5s' }), { 'retry-after': '7' }).retryAfter).toBe(7);
    for (const retryDelay of ['0s', '-1s', 'soon', 3, '9'.repeat(400)]) {
      expect(parse(429, error({ '@type': `${rpc}RetryInfo`, retryDelay })).retryAfter).toBeUndefined();
    }
    expect(parse(400, error({ '@type': `${rpc}ErrorInfo`, reason: 'API_KEY_INVALID' })).code).toBe('invalid_api_key');
  });

  it('has a bounded type, parameter and code, whatever they quote', () => {
    const failure = parse(400, {
      error: { message: 'm', type: 't'.repeat(9_000), param: 'p'.repeat(9_000), code: `sk-${'c'.repeat(9_000)}` },
    });
    for (const text of [failure.type, failure.param, String(failure.code)]) expect(text.length).toBeLessThan(250);
    expect(failure.code).toBe('sk-***…');
  });

  it('reveals neither the host nor the key of the channel', () => {
    const failure = parse(500, { error: { message: 'secret-host.example refused sk-test with 500' } });
    expect(failure.message).not.toContain('secret-host');
    expect(parse(500, { message: 'x'.repeat(100_000) }).message.length).toBeLessThan(5000);
  });
});

describe('masking', () => {
  it.each([
    ['post https://api.example.com/v1/chat?key=abc: refused', 'post https://***: refused'],
    ['Incorrect API key provided: sk-proj-****abcd.', 'Incorrect API key provided: sk-***'],
    ['key sk-1234567890abcdef is bad', 'key sk-*** is bad'],
    ['header Bearer abcdef123456', 'header Bearer ***'],
    ['dial tcp 10.1.2.3:8080: refused', 'dial tcp ***: refused'],
    ['dial tcp [2001:db8::1]:443', 'dial tcp ***'],
    ['from 2001:db8:0:0:0:0:0:1 now', 'from *** now'],
    ['AIzaSyA1234567890abcdefghijklmnop rejected', '*** rejected'],
    ['token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc', 'token ***'],
    ['id 0123456789abcdef0123456789abcdef.secretpart', 'id ***'],
  ])('hides %s', (text, masked) => expect(maskSecrets(text)).toBe(masked));

  it.each([
    'only http and https images are allowed',
    'The model `claude-3-5-sonnet-20241022` does not exist (req_011CSHoEeqs5C35K2UUqR7Fy)',
    'try again in 12:30:45, version 1.2.3 of std::vector',
    'maximum context length is 128000 tokens; risk-adjusted task-force',
    '请求过于频繁，请稍后再试',
  ])('leaves %s', (text) => expect(maskSecrets(text)).toBe(text));
});

describe('a 403 concerns', () => {
  const concerns = (error: object, type = 1) =>
    parseUpstreamError({
      status: 403,
      text: JSON.stringify({ error: { message: 'why', ...error } }),
      channel: buildPreparedChannel({ type }),
      now,
    }).concerns;
  const ofGoogle = (reason: string) => ({
    code: 403,
    status: 'PERMISSION_DENIED',
    details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'googleapis.com' }],
  });

  it.each([
    ['the request', 'request', { message: 'You do not have permission to access the File abc or it may not exist.', ...ofGoogle('') }],
    ['the request', 'request', { message: 'CachedContent not found (or permission denied)' }],
    ['the request', 'request', { metadata: { reasons: ['violence'], flagged_input: 'x' } }],
    [
      'the model',
      'model',
      { message: 'Project `p` does not have access to model `m`', type: 'invalid_request_error', code: 'model_not_found' },
    ],
    ['the model', 'model', { type: 'permissions_error', code: 'model_permission_blocked_project' }],
    ['the account', 'account', { code: 'Arrearage', type: 'Arrearage' }],
    ['the account', 'account', { type: 'billing_error' }],
    ['the account', 'account', ofGoogle('CONSUMER_SUSPENDED')],
    ['the account', 'account', ofGoogle('API_KEY_IP_ADDRESS_BLOCKED')],
    ['an unknown cause', undefined, ofGoogle('IAM_PERMISSION_DENIED')],
    ['an unknown cause', undefined, { type: 'permission_error' }],
    ['an unknown cause', undefined, { type: 'request_forbidden', code: 'unsupported_country_region_territory' }],
  ])('%s (%s): %j', (_, concern, error) => expect(concerns(error)).toBe(concern));

  it('the account for the codes of a refused key of this provider', () => {
    expect(concerns({ code: 'ExpiredTokenException' }, 33)).toBe('account');
    expect(concerns({ code: 'ExpiredTokenException' })).toBeUndefined();
    expect(
      concerns({ message: "You don't have access to the model with the specified model ID.", code: 'AccessDeniedException' }, 33),
    ).toBe('model');
  });
});

describe('a call is retried on another channel', () => {
  const retried = (status: number, provider?: Provider, error = {}) =>
    isRetryable(parseUpstreamError({ status, text: JSON.stringify({ error }), channel: buildPreparedChannel(), now }), provider ?? null);

  it.each([429, 307, 302, 500, 501, 502, 503, 529, 401, 402, 403, 404])('after %i', (status) => expect(retried(status)).toBe(true));
  it.each([400, 422, 408, 504, 524, 201, 202, 204])('not after %i', (status) => expect(retried(status)).toBe(false));
  it('after a success status without a response, if the channel maps it to a failure', () => {
    const mapping = buildPreparedChannel({ status_code_mapping: '{"202":"503"}' });
    expect(isRetryable(parseUpstreamError({ status: 202, text: '', channel: mapping, now }), null)).toBe(true);
  });
  it('after a 400 of Anthropic, and a 400 that refuses the account', () => {
    expect(retried(400, providerOf(14))).toBe(true);
    expect(retried(400, undefined, { message: 'x', code: 'invalid_api_key' })).toBe(true);
  });
  // https://ai.google.dev/gemini-api/docs/troubleshooting; no other key has the caller's file.
  it.each([14, 24, 41])('not after a 403 that concerns the request, of type %i', (type) => {
    const forbidden = { message: 'You do not have permission to access the File abc or it may not exist.', status: 'PERMISSION_DENIED' };
    expect(retried(403, providerOf(type), forbidden)).toBe(false);
    expect(retried(403, providerOf(type), { message: 'no', type: 'permission_error' })).toBe(true);
  });
  it('after a failed connection or an invalid response, not after a timeout', () => {
    expect(isRetryable(networkFailure(), null)).toBe(true);
    expect(isRetryable(timeoutFailure('connect'), null)).toBe(true);
    expect(isRetryable(invalidResponse(), null)).toBe(true);
    expect(isRetryable(timeoutFailure('first_byte'), null)).toBe(false);
  });
});

describe('a channel is disabled', () => {
  const reason = (status: number, error: object, provider: Pick<Provider, 'refusals'> | null = null, isConfirmed = true) => {
    const found = autoDisableReason(
      parseUpstreamError({ status, text: JSON.stringify({ error: { message: 'why', ...error } }), channel: buildPreparedChannel(), now }),
      {
        provider,
        callerText: () => '',
        isConfirmed,
        keywords: ['Your credit balance is too low', ''],
      },
    );
    return found === null ? null : reasonText(found, 'en');
  };

  it('if its key or account is refused', () => {
    expect(reason(401, {})).toBe('why');
    expect(reason(400, { code: 'billing_not_active' })).toBe('why');
    expect(reason(429, { type: 'insufficient_quota' })).toBe('why');
    for (const status of [402, 403, 429]) expect(reason(status, { message: 'Sorry: YOUR CREDIT BALANCE is too low.' })).toContain('CREDIT');
  });
  it('for a 403 of unknown cause only if it is confirmed', () => {
    for (const type of ['permission_error', 'forbidden']) {
      expect(reason(403, { type }, null, false)).toBeNull();
      expect(reason(403, { type }, null, true)).toBe('why');
    }
    expect(reason(403, { type: 'permission_error', code: 'model_not_found' })).toBeNull();
    for (const code of ['invalid_api_key', 'billing_not_active']) expect(reason(403, { code }, null, false)).toBe('why');
    expect(reason(403, { type: 'authentication_error' }, null, false)).toBe('why');
  });
  it('for a 403 of Gemini that concerns the account, and for others if they are confirmed', () => {
    const gemini = providerOf(24) ?? null;
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'CONSUMER_SUSPENDED' }];
    expect(reason(403, { code: 403, status: 'PERMISSION_DENIED', details }, gemini, false)).toBe('why');
    expect(reason(403, { code: 403, status: 'PERMISSION_DENIED', details }, null, false)).toBeNull();
    expect(reason(403, { code: 403, status: 'PERMISSION_DENIED' }, gemini, false)).toBeNull();
    expect(reason(403, { code: 403, status: 'PERMISSION_DENIED' }, gemini, true)).toBe('why');
    expect(reason(403, { message: 'You do not have permission to access the File x' }, gemini, true)).toBeNull();
  });
  it('not for keywords that a caller may have written', () => {
    for (const status of [400, 404, 408, 413, 415, 422, 500, 502, 503]) {
      expect(reason(status, { message: "Invalid tool_choice: 'Your credit balance is too low'" })).toBeNull();
    }
  });
  it('not for keywords under a mapped status', () => {
    const mapped = (status: number) =>
      autoDisableReason(
        parseUpstreamError({
          status,
          text: JSON.stringify({ error: { message: 'Your credit balance is too low' } }),
          channel: buildPreparedChannel({ status_code_mapping: '{"400":"403","403":"400"}' }),
          now,
        }),
        { provider: null, callerText: () => '', isConfirmed: true, keywords: ['Your credit balance is too low'] },
      );
    expect([mapped(400), mapped(403)]).toEqual([null, null]);
  });
  it('not for other failures, nor for failures that the gateway detects', () => {
    expect(reason(403, {})).toBeNull();
    expect(reason(500, {})).toBeNull();
    expect(autoDisableReason(networkFailure(), { provider: null, callerText: () => '', isConfirmed: true, keywords: ['请求'] })).toBeNull();
  });
});
