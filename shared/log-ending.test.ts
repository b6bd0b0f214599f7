import { expect, test } from 'vitest';
import { buildAttempt as attempt, buildLog as row } from '#tests/support/log-row.ts';
import { chargeOf, endingOf, failureStatus, isFree, unsentReason, upstreamWords } from './log-ending.ts';
import { otherOf, attemptsOf } from './log-other.ts';
import { CallEnding } from './logs.ts';

test('log row: a try that was followed by another has failed, whatever its status says', () => {
  const log = row({ other: { attempts: [attempt(12, 429, 'rate_limited'), attempt(3, 200, 'invalid_answer'), attempt(7, 200)] } });
  expect(attemptsOf(log).map((one) => one.hasFailed)).toEqual([true, true, false]);
});

test('log row: a cut-off response is a response', () => {
  expect(attemptsOf(row({ other: { attempts: [attempt(7, 200, 'truncated')] } }))[0]?.hasFailed).toBe(false);
});

const nothing = { prompt_tokens: 0, completion_tokens: 0, quota: 0 };

test.each([
  ['refused', 400, [attempt(7, 400, 'context_length_exceeded')]],
  ['refused', 404, [attempt(3, 503, 'server_error'), attempt(7, 404, 'model_not_found')]],
  ['account_refused', 401, [attempt(7, 401, 'invalid_api_key')]],
  ['rate_limited', 429, [attempt(3, 500, 'server_error'), attempt(7, 429, 'rate_limit')]],
  ['upstream_fault', 503, [attempt(7, 503, 'server_error')]],
  ['upstream_fault', 307, [attempt(7, 307, 'bad_response_status_code')]],
  ['timed_out', undefined, [attempt(7, 0, 'upstream_timeout')]],
  ['timed_out', undefined, [attempt(7, 504, 'bad_response_status_code')]],
  ['unreachable', undefined, [attempt(7, 0, 'do_request_failed')]],
  ['unreadable', undefined, [attempt(7, 200, 'invalid_upstream_response')]],
  ['error_inside', undefined, [attempt(7, 200, 'insufficient_quota')]],
  ['broke_off', undefined, [{ ...attempt(7, 200, 'upstream_error'), first_byte_ms: 3 }]],
  ['upstream_fault', 503, [attempt(7, 503, 'server_error'), { ...attempt(8, 0, 'untranslatable'), unsent: true }]],
  ['failed', undefined, []],
])('log row: nothing came of it: %s, status %s', (ending, status, attempts) => {
  const log = row({ ...nothing, other: { ending: 'upstream_error', attempts } });
  expect(endingOf(log)).toBe(ending);
  expect(failureStatus(log), 'a status that says success is no word for a failure').toBe(status);
  expect(chargeOf(log)).toBe('none');
  expect(isFree(log)).toBe(true);
});

test('log row: a stream that failed on its way is charged for what arrived', () => {
  const log = row({ other: { ending: 'upstream_error', attempts: [attempt(7, 200, 'upstream_error')] } });
  expect([endingOf(log), failureStatus(log), chargeOf(log), isFree(log)]).toEqual(['upstream_error', undefined, 'received', false]);
  expect(chargeOf(row({ quota: 0, other: { ending: 'truncated' } }))).toBe('none');
  expect(chargeOf(row({ other: { ending: 'invalid_usage' } }))).toBe('counted');
});

test('log row: the upstream’s own words are shown, ours are not', () => {
  const problem = 'max_tokens is too large（8192）: 9000';
  const content = `模型倍率 1.25，补全倍率 4.00，分组倍率 1.00（${problem}）`;
  const refused = { ending: 'upstream_error', attempts: [attempt(7, 400, 'invalid_request_error')] };
  expect(upstreamWords(row({ ...nothing, content, other: { ...refused, problem } }))).toBe(problem);
  expect(upstreamWords(row({ ...nothing, content, other: refused })), 'rows of an earlier server').toBeUndefined();
  const midway = { ending: 'upstream_error', attempts: [attempt(7, 200, 'upstream_error')] };
  expect(upstreamWords(row({ other: { ...midway, problem } }))).toBe(problem);
  const lost = { ending: 'upstream_error', attempts: [attempt(7, 0, 'do_request_failed')], problem: '请求上游地址失败' };
  expect(upstreamWords(row({ ...nothing, other: lost }))).toBeUndefined();
  expect(upstreamWords(row({ other: { ending: 'invalid_answer', problem: '无效的上游应答' } }))).toBeUndefined();
  expect(upstreamWords(row({ content }))).toBeUndefined();
});

test('log row: why a call was not sent is told, and not as the upstream’s words', () => {
  const log = row({
    ...nothing,
    other: { ending: 'unsendable', attempts: [attempt(0, 0, 'untranslatable')], problem: 'n must be at most 1' },
  });
  expect([unsentReason(log), upstreamWords(log)]).toEqual(['n must be at most 1', undefined]);
  expect(unsentReason(row({ ...nothing, other: { ending: 'invalid_answer', problem: '无效的上游应答' } }))).toBeUndefined();
});

test('log row: every ending of the relay has a name of its own', () => {
  expect(CallEnding.options.map((ending) => endingOf(row({ other: { ending } })))).toEqual(CallEnding.options);
});

test('log row: an event of a newer server is no event, and hides nothing else', () => {
  const known = row({ other: { event: { code: 'quota_set', from: 1, to: 2 } } });
  expect(otherOf(known)?.event).toEqual({ code: 'quota_set', from: 1, to: 2 });
  const newer = { ...row(), other: '{"frt":7,"event":{"code":"moon_landed"}}' };
  expect(otherOf(newer)).toMatchObject({ frt: 7 });
  expect(otherOf(newer)?.event).toBeUndefined();
});

test('log row: endings by name, unknown ones too', () => {
  expect(endingOf(row())).toBe('well');
  expect(endingOf(row({ other: { ending: 'overdraft' } }))).toBe('overdraft');
  expect(endingOf(row({ other: { ending: 'something new' } }))).toBe('other');
  expect(endingOf(row({ prompt_tokens: 0, completion_tokens: 0, other: { ending: 'client_closed' } }))).toBe('client_left');
});

test('log row: what cannot be read counts as nothing known', () => {
  expect(endingOf({ ...row(), other: '{"attempts":' })).toBe('well');
});
