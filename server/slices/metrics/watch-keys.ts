// State and figures of the keys of channels that have several, read when metrics are collected: calls pay nothing for them.
import { ChannelStatus } from '#shared/channels.ts';
import type { KeyState } from '#shared/channel-keys.ts';
import type { AppContext } from '#server/context.ts';
import type { ChannelHealth } from '#server/call/routing/channel-health.ts';
import type { KeyOfChannel } from '#server/exchange/keys/channel-keys.ts';
import type { Labels, NumberPoint, Registry } from '#server/telemetry/registry.ts';

/** Maximum keys with series of their own; the sums by channel and state count all. */
export const mostMeasuredKeys = 1000;

export function watchKeys(
  registry: Registry,
  { channels, keyFigures }: Pick<AppContext, 'channels' | 'keyFigures'>,
  health: Pick<ChannelHealth, 'isPaused'>,
): void {
  registry.read('channelKeys', () =>
    Array.from(channels.all(), ({ id, keys }) =>
      Array.from(
        Map.groupBy(keys?.all ?? [], (key) => stateOf(key, health)),
        ([state, { length: value }]) => ({
          labels: { 'tidegate.channel.id': String(id), 'tidegate.key.state': state },
          value,
        }),
      ),
    ).flat(),
  );
  registry.read('keyState', () =>
    measuredKeys(channels).map(({ key, labels }) => ({ labels: { ...labels, 'tidegate.key.state': stateOf(key, health) }, value: 1 })),
  );

  /** The keys' figures; keys that were not used have none. */
  function figures(present: (labels: Labels, counts: { calls: number; failures: number; tokens: number }) => NumberPoint[]): NumberPoint[] {
    const keys = measuredKeys(channels);
    const totals = keyFigures.totals(new Set(keys.map(({ key }) => key.id)));
    return keys.flatMap(({ key, labels }) => {
      const counts = totals.get(key.id);
      return counts === undefined ? [] : present(labels, counts);
    });
  }
  const attempts = (labels: Labels, outcome: string, value: number) => ({
    labels: { ...labels, 'tidegate.attempt.outcome': outcome },
    value,
  });
  registry.read('keyAttempts', () =>
    figures((labels, { calls, failures }) => [attempts(labels, 'answered', calls - failures), attempts(labels, 'failed', failures)]),
  );
  registry.read('keyTokens', () => figures((labels, { tokens }) => [{ labels, value: tokens }]));
}

interface MeasuredKey {
  key: KeyOfChannel;
  labels: Labels;
}

function measuredKeys(channels: AppContext['channels']): MeasuredKey[] {
  const measured: MeasuredKey[] = [];
  for (const { id, keys } of channels.all()) {
    for (const key of keys?.all ?? []) {
      if (measured.length >= mostMeasuredKeys) return measured;
      measured.push({ key, labels: { 'tidegate.channel.id': String(id), 'tidegate.key.id': String(key.id) } });
    }
  }
  return measured;
}

function stateOf({ id, record: { status, no_balance: isEmpty } }: KeyOfChannel, health: Pick<ChannelHealth, 'isPaused'>): KeyState {
  if (status === ChannelStatus.disabledByHand) return 'disabled';
  if (status === ChannelStatus.disabledBySystem) return isEmpty ? 'no_balance' : 'refused';
  return health.isPaused(id) ? 'cooling_down' : 'healthy';
}
