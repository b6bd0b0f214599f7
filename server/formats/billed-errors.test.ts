// Usage reported with an error is part of the error, in every format that has both.
import { describe, expect, test } from 'vitest';
import { errorOf as responsesError } from './openai-responses/read-error.ts';
import { readFinish } from './openai-responses/finish-reason.ts';
import { readError as coze } from './coze/errors.ts';
import { readError as dify } from './dify/errors.ts';
import { readError as ernie } from './ernie/errors.ts';
import { readError as hunyuan } from './hunyuan/errors.ts';
import { readError as ollama } from './ollama/read-response.ts';
import { readError as replicate } from './replicate/errors.ts';
import { readError as spark } from './spark/errors.ts';

const sparkUsage = { text: { question_tokens: 40, prompt_tokens: 40, completion_tokens: 300, total_tokens: 340 } };
const usage = { prompt_tokens: 40, completion_tokens: 300, total_tokens: 340 };

describe('errors with usage', () => {
  test.each([
    ['coze', coze({ data: { status: 'failed', last_error: { code: 5000 }, usage: { input_count: 40, output_count: 300 } } })],
    ['ernie', ernie({ error_code: 336_000, error_msg: 'failed', usage })],
    ['hunyuan', hunyuan({ ErrorMsg: { Code: 4001, Msg: 'timeout' }, Usage: { PromptTokens: 40, CompletionTokens: 300 } })],
    ['hunyuan whole', hunyuan({ Response: { Error: { Code: 'FailedOperation' }, Usage: { PromptTokens: 40, CompletionTokens: 300 } } })],
    ['ollama', ollama({ error: 'failed', prompt_eval_count: 40, eval_count: 300 })],
    ['replicate', replicate({ id: 'p1', status: 'failed', metrics: { input_token_count: 40, output_token_count: 300 } })],
    ['spark', spark({ header: { code: 10_110, message: 'busy' }, payload: { usage: sparkUsage } })],
    ['dify', dify({ event: 'workflow_finished', data: { status: 'failed', total_tokens: 340 } }, { input: 40, output: 300 })],
    ['responses', responsesError({ type: 'response.cancelled', response: { usage: { input_tokens: 40, output_tokens: 300 } } })],
  ])('%s', (_format, error) => {
    expect(error?.usage).toMatchObject({ input: 40, output: 300 });
  });

  test('a response that failed without an error of its own', () => {
    const ending = readFinish({ status: 'failed', error: null, usage: { input_tokens: 40, output_tokens: 300 } }, false);
    expect(ending).toMatchObject({ failure: { usage: { input: 40, output: 300 } } });
  });

  test('zeros and implausible counts are not usage', () => {
    const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    expect(ernie({ error_code: 336_000, usage: zeros })).not.toHaveProperty('usage');
    expect(ernie({ error_code: 336_000, usage: { ...usage, prompt_tokens: -1 } })).not.toHaveProperty('usage');
  });
});
