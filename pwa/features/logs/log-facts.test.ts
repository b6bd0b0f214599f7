import { expect, test } from 'vitest';
import type { Log, LogOther } from '#shared/logs.ts';
import { csvOf } from './log-export.ts';
import { channelPath, endingOf, failureStatus, firstBytePace, paceOf, triesOf } from './log-facts.ts';

function row(fields: Partial<Omit<Log, 'other'>> & { other?: LogOther | null } = {}): Log {
  const { other = null, ...columns } = fields;
  return {
    id: 1,
    user_id: 1,
    created_at: 1_795_000_000,
    type: 2,
    content: '',
    username: 'mira',
    token_name: 'notebook',
    token_id: 3,
    model_name: 'gpt-4o',
    quota: 10,
    prompt_tokens: 5,
    completion_tokens: 5,
    use_time: 1,
    is_stream: true,
    channel: 7,
    channel_name: 'main',
    group: 'default',
    request_id: 'r',
    ...columns,
    other: other === null ? '' : JSON.stringify(other),
  };
}
const attempt = (channel: number, status: number, error?: string) => ({
  channel,
  status,
  start_ms: 0,
  end_ms: 1,
  ...(error === undefined ? {} : { error }),
});

test('log row: a try that was followed by another has failed, whatever its status says', () => {
  const log = row({ other: { attempts: [attempt(12, 429, 'rate_limited'), attempt(3, 200, 'invalid_answer'), attempt(7, 200)] } });
  expect(triesOf(log).map((one) => one.hasFailed)).toEqual([true, true, false]);
  expect(channelPath(log).map((step) => [step.channel, step.hasFailed])).toEqual([
    [12, true],
    [3, true],
    [7, false],
  ]);
});

test('log row: a cut-off answer is an answer, an error without any usage is a failure', () => {
  expect(triesOf(row({ other: { attempts: [attempt(7, 200, 'truncated')] } }))[0]?.hasFailed).toBe(false);
  const nothing = row({
    prompt_tokens: 0,
    completion_tokens: 0,
    quota: 0,
    other: { ending: 'upstream_error', attempts: [attempt(7, 503, 'server_error')] },
  });
  expect(triesOf(nothing)[0]?.hasFailed).toBe(true);
  expect(endingOf(nothing)).toBe('failed');
  expect(failureStatus(nothing)).toBe(503);
});

test('log row: rows without attempts still know the path', () => {
  expect(channelPath(row({ other: { admin_info: { use_channel: ['12', '7'] } } }))).toEqual([
    { channel: 12, name: '', hasFailed: true },
    { channel: 7, name: 'main', hasFailed: false },
  ]);
  expect(channelPath(row({ channel: 0 }))).toEqual([]);
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

test('durations: the limits of slow', () => {
  expect([100.9, 101, 299.9, 300].map(paceOf)).toEqual(['good', 'slow', 'slow', 'very_slow']);
  expect([2.9, 3, 9.9, 10].map(firstBytePace)).toEqual(['good', 'slow', 'slow', 'very_slow']);
});

test('export: texts stay texts, and channels stay with the administrators', () => {
  const text = csvOf([row({ token_name: '=SUM(A1)', content: 'says "no", twice' })], false);
  expect(text).toContain(`,'=SUM(A1),`);
  expect(text).toContain('"says ""no"", twice"');
  expect(text.split('\r\n')[0]).not.toMatch(/channel|username/);
  expect(csvOf([], true)).toMatch(/,channel,/);
});
