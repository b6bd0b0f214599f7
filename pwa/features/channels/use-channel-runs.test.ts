import { describe, expect, test } from 'vitest';
import type { ChannelRun } from '#shared/channel-runs.ts';
import { activeRun, secondsLeft } from './use-channel-runs.ts';

const run: ChannelRun = {
  state: 'running',
  started_at: 100,
  ended_at: 0,
  started_by: 'ops',
  total: 31,
  done: 14,
  failed: 2,
  disabled: 0,
  enabled: 0,
  current: [],
  last_id: 0,
};

describe('use-channel-runs', () => {
  test('what runs is shown, tests before balances; what has ended is not', () => {
    expect(activeRun(undefined)).toBeUndefined();
    expect(activeRun({ tests: null, balances: null })).toBeUndefined();
    expect(activeRun({ tests: { ...run, state: 'done' }, balances: run })).toEqual({ kind: 'balances', run });
    expect(activeRun({ tests: run, balances: run })?.kind).toBe('tests');
    expect(activeRun({ tests: { ...run, state: 'stopped' }, balances: null })).toBeUndefined();
  });

  test('the time that is left goes by the pace so far, and is not guessed from one channel', () => {
    expect(secondsLeft(run, 128)).toBe(34);
    expect(secondsLeft({ ...run, done: 1 }, 128)).toBeUndefined();
    expect(secondsLeft({ ...run, done: 31 }, 128)).toBe(1);
    // Channels that were added meanwhile.
    expect(secondsLeft({ ...run, done: 33 }, 128)).toBe(1);
    expect(secondsLeft(run, 90)).toBeUndefined();
  });
});
