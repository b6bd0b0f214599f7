import { describe, expect, test } from 'vitest';
import { isTested, statusInfo, testState } from './channel-summary.ts';

describe('the last test of a channel', () => {
  const fresh = { response_time: 0, test_error: '' };
  const passed = { response_time: 812, test_error: '' };
  const refused = { response_time: 5, test_error: 'connect ECONNREFUSED' };

  test('is what the record says', () => {
    expect(testState(fresh, undefined)).toEqual({ state: 'untested' });
    expect(testState(passed, undefined)).toEqual({ state: 'ok', milliseconds: 812, tier: 'fast' });
  });

  test('has no speed when it failed, however fast it did', () => {
    expect(testState(refused, undefined)).toEqual({ state: 'failed', message: 'connect ECONNREFUSED' });
    expect(testState(passed, { state: 'failed', message: 'no price' })).toEqual({ state: 'failed', message: 'no price' });
  });

  test('is the one just made, before the record says so', () => {
    expect(testState(fresh, { state: 'ok', seconds: 4.2 })).toEqual({ state: 'ok', milliseconds: 4200, tier: 'slow' });
    expect(testState(refused, { state: 'ok', seconds: 0.3 })).toEqual({ state: 'ok', milliseconds: 300, tier: 'fast' });
    expect(testState(refused, { state: 'running' })).toEqual({ state: 'running' });
  });
});

test('what only takes orders is not tested', () => {
  expect(isTested({ type: 1, models: 'gpt-4o,sora-2' })).toBe(true);
  expect(isTested({ type: 50, models: 'any' })).toBe(false);
  expect(isTested({ type: 17, models: 'wan2.5-t2v-preview' })).toBe(false);
  expect(isTested({ type: 17, models: '' })).toBe(true);
});

test('why a channel is disabled: reason, time and person, whatever is missing', () => {
  expect(statusInfo({ other_info: '{"status_reason":"dead key","status_time":17}' })).toEqual({ reason: 'dead key', at: 17, by: '' });
  expect(statusInfo({ other_info: '{"status_reason":"","status_time":17,"status_by":"ops"}' })).toEqual({ reason: '', at: 17, by: 'ops' });
  for (const other_info of ['', '{}', '[', '7', '{"status_time":"x"}']) {
    expect(statusInfo({ other_info })).toEqual({ reason: '', at: 0, by: '' });
  }
});
