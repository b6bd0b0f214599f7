import { expect, test } from 'vitest';
import { ChannelStatus } from '#shared/channels.ts';
import { buildConsoleChannel } from '#tests/support/console-records.ts';
import { failingModels, workingChannel } from './what-works.ts';

const channel = (id: number, change: Partial<ReturnType<typeof buildConsoleChannel>> = {}) =>
  buildConsoleChannel({
    id,
    name: `channel ${id}`,
    models: 'gpt-4o',
    status: ChannelStatus.enabled,
    test_time: 0,
    test_error: '',
    ...change,
  });
const none: ReadonlySet<number> = new Set();

test('the guide is about a channel that works', () => {
  const channels = [channel(4), channel(3, { test_time: 9, test_error: '401' }), channel(2, { test_time: 9 }), channel(1)];
  const id = (failing: ReadonlySet<number>, answered?: number) => workingChannel(channels, { failing, answered })?.id;
  expect(id(none)).toBe(2);
  expect(id(none, 1)).toBe(1);
  // It answered, and fails since.
  expect(id(new Set([1]), 1)).toBe(2);
  expect(id(new Set([2]))).toBe(4);
  expect(id(new Set([1, 2, 3, 4]))).toBe(2);
});

test('one that is disabled or takes orders only is none', () => {
  const orders = channel(3, { models: 'suno_music' });
  const disabled = channel(2, { status: ChannelStatus.disabledByHand });
  expect(workingChannel([orders, disabled, channel(1)], { failing: none })?.id).toBe(1);
  expect(workingChannel([orders, disabled], { failing: none })?.id).toBe(3);
  expect(workingChannel([disabled], { failing: none })).toBeUndefined();
});

test('a model fails whose channels all do', () => {
  const channels = [
    channel(3, { models: 'a,b' }),
    channel(2, { models: 'b,c' }),
    channel(1, { models: 'a', status: ChannelStatus.disabledByHand }),
  ];
  expect([...failingModels(channels, new Set([3]))]).toEqual(['a']);
  expect([...failingModels(channels, none)]).toEqual([]);
});
