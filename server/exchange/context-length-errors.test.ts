import { describe, expect, test } from 'vitest';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { isRetryable } from './failure-consequences.ts';
import { failureInBody, parseUpstreamError } from './upstream-error.ts';

/** Messages of providers by channel type. */
const words: readonly [type: number, message: string][] = [
  [14, 'prompt is too long: 210000 tokens > 200000 maximum'],
  [14, 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again'],
  [1, "This model's maximum context length is 8192 tokens. However, your messages resulted in 10346 tokens."],
  [1, 'Your input exceeds the context window of this model. Please adjust your input and try again.'],
  [24, 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'],
  [41, 'Unable to submit request because the input token count is 1048577 but the model only supports up to 1048576.'],
  [20, "This endpoint's maximum context length is 1050000 tokens. However, you requested about 1160211 tokens."],
  [1, 'The decoder prompt (length 5000) is longer than the maximum model length of 4096.'],
  [1, "You passed 32769 input tokens and requested 0 output tokens. However, the model's context length is only 32768 tokens."],
  [1, "The input (5000 tokens) is longer than the model's context length (4096 tokens)."],
  [
    1,
    'Input length (40000 tokens) exceeds the maximum allowed length (32768 tokens). Use a shorter input or enable --allow-auto-truncate.',
  ],
  [33, 'Input is too long for requested model.'],
  [33, 'Too many input tokens. Max input tokens: 8192, request input token count: 9000'],
  [33, 'Input Tokens Exceeded: Number of input tokens exceeds maximum length.'],
  [4, 'the input length exceeds the context length'],
  [4, 'prompt too long; exceeded max context length by 1000 tokens'],
  [4, 'the request exceeds the available context size, try increasing it'],
  [42, 'Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length'],
  [34, 'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292.'],
  [43, "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens."],
  [25, 'Invalid request: Your request exceeded model token limit: 262144 (requested: 290000)'],
  [26, 'Prompt exceeds max length'],
  [26, 'Prompt 超长'],
  [35, 'invalid params, context window exceeds limit (2013)'],
  [17, '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]'],
  [48, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
  [1, 'Please reduce the length of the messages or completion.'],
  [45, 'Input length 300000 exceeds the maximum length 229376'],
  [40, 'length of prompt_tokens (40000) must be less than max_seq_len (32768).'],
  [46, 'Prompt tokens too long'],
  [39, 'The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (8192).'],
  [1, 'Input validation error: `inputs` must have less than 4095 tokens. Given: 5000'],
  [1, 'prompt token count of 135000 exceeds the limit of 128000'],
];

const refusal = { status: 400, type: 'invalid_request_error', code: 'context_length_exceeded', concerns: 'request' };

describe('a prompt that is too long', () => {
  test.each(words)('is recognized by its message, of type %i: %s', (type, message) => {
    const channel = buildPreparedChannel({ type });
    for (const status of [400, 413, 422, 500]) {
      const failure = parseUpstreamError({ status, text: JSON.stringify({ error: { message } }), channel, now: 0 });
      expect(failure).toMatchObject({ ...refusal, message });
      expect(isRetryable(failure, channel.provider)).toBe(false);
    }
    const found = { status: 502, message, type: 'upstream_error', param: '', code: null };
    expect(failureInBody(found, channel)).toMatchObject({ ...refusal, message });
  });

  test.each([
    [1, { message: 'no', code: 'context_length_exceeded' }],
    [4, { message: 'no', type: 'exceed_context_size_error' }],
    [26, { message: 'no', code: '1261' }],
    [20, { message: 'Provider returned error', code: 400, metadata: { raw: '{"message":"prompt is too long: 9 tokens > 8 maximum"}' } }],
  ])('is recognized by its code, type or metadata: %i %j', (type, error) => {
    const channel = buildPreparedChannel({ type });
    expect(parseUpstreamError({ status: 400, text: JSON.stringify({ error }), channel, now: 0 })).toMatchObject(refusal);
  });

  test.each([
    [429, 'Rate limit reached for tokens per minute: prompt is too long'],
    [401, 'prompt is too long'],
    [400, 'max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens'],
    [400, 'too many tokens in logit_bias'],
    [400, "Invalid value for 'model'"],
  ])('is not recognized: %i %s', (status, message) => {
    const channel = buildPreparedChannel({ type: 1 });
    const failure = parseUpstreamError({ status, text: JSON.stringify({ error: { message } }), channel, now: 0 });
    expect(failure.code).not.toBe('context_length_exceeded');
  });
});

describe('a 400 of a provider that also refuses accounts with 400', () => {
  const judged = (type: number, error: object) => {
    const channel = buildPreparedChannel({ type });
    return isRetryable(parseUpstreamError({ status: 400, text: JSON.stringify({ error }), channel, now: 0 }), channel.provider);
  };
  const google = { code: 400, status: 'INVALID_ARGUMENT' };

  test.each([
    [14, { type: 'invalid_request_error', message: 'messages: roles must alternate' }, false],
    [14, { type: 'invalid_request_error', message: 'Your credit balance is too low to access the Anthropic API.' }, true],
    [14, { type: 'invalid_request_error', message: 'This organization has been disabled.' }, true],
    [24, { ...google, message: 'Invalid value at contents' }, false],
    [24, { ...google, message: 'API key not valid. Please pass a valid API key.' }, true],
    [24, { code: 400, status: 'FAILED_PRECONDITION', message: 'User location is not supported for the API use.' }, true],
    [41, { ...google, message: 'Invalid value at contents' }, false],
  ])('of type %i is retried on another channel if it concerns the account: %j', (type, error, isElsewhere) =>
    expect(judged(type, error)).toBe(isElsewhere),
  );
});

test.each([
  ['Rate limit reached. Please try again in 3.5s.', 3.5],
  ['Please try again in 20ms.', 0.02],
  ['Please try again in 6m0s. Visit the site.', 360],
  ['Please try again in 1h2m3.5s.', 3723.5],
  ['Please retry in 34.074824224s.', 34.074824224],
  ['Please retry after 10 seconds.', 10],
  ['Slow down', undefined],
  ['try again in 0s', undefined],
])('a rate limit states the retry time in its message: %s', (message, retryAfter) => {
  const channel = buildPreparedChannel({});
  expect(parseUpstreamError({ status: 429, text: JSON.stringify({ error: { message } }), channel, now: 0 }).retryAfter).toBe(retryAfter);
  expect(failureInBody({ status: 429, message, type: 'x', param: '', code: null }, channel).retryAfter).toBe(retryAfter);
});
