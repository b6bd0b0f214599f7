// State of this process that is read when metrics are collected: channels, queues, pools, the change feed, the books.
import { ChannelStatus } from '#shared/channels.ts';
import type { AppContext } from '#server/context.ts';
import type { Relay } from '#server/call/create-relay.ts';
import { waitingCounts } from '#server/exchange/token-estimate.ts';
import { providerNameOf } from '#server/telemetry/names.ts';
import type { Registry } from '#server/telemetry/registry.ts';
import { checkedBooks } from '#server/slices/metrics/check-books.ts';
import { watchSite } from '#server/slices/metrics/measure-site.ts';
import { watchKeys } from '#server/slices/metrics/watch-keys.ts';
import { watchProcess } from '#server/slices/metrics/watch-process.ts';

/** Returns the relay. */
export function watchRelay(context: AppContext, relay: Relay): Relay {
  const registry = context.telemetry?.registry ?? null;
  if (registry !== null) watch(registry, context, relay);
  return relay;
}

function watch(registry: Registry, context: AppContext, relay: Relay): void {
  const { bodies, changes, channels, ledger, sender } = context;
  const { health, settlement } = relay.services;
  const one = (value: number) => [{ labels: {}, value }];
  const queue = (name: string, value: number) => ({ labels: { 'tidegate.queue.name': name }, value });
  const pool = (state: string, value: number) => ({ labels: { 'tidegate.pool.state': state }, value });
  const all = () =>
    Array.from(channels.all(), (channel) => ({
      channel,
      labels: { 'tidegate.channel.id': String(channel.id), 'gen_ai.provider.name': providerNameOf(channel.provider?.name) },
    }));
  const isEnabled = (status: number, problem: unknown) => status === ChannelStatus.enabled && problem === null;

  registry.read('channelHealth', () =>
    all()
      .filter(({ channel: { status, problem } }) => isEnabled(status, problem))
      .map(({ channel: { id }, labels }) => ({ labels, value: health.factor(id, '', 0) })),
  );
  registry.read('channelEnabled', () =>
    all().map(({ channel: { status, problem }, labels }) => ({ labels, value: isEnabled(status, problem) ? 1 : 0 })),
  );
  watchKeys(registry, context, relay.services.keyHealth);
  registry.read('reservations', () => one(ledger.openReservations));
  registry.read('streams', () => one(relay.openStreams));
  registry.read('sockets', () => one(relay.sockets.size));
  registry.read('queued', () => [
    queue('settlements', ledger.waitingSettlements),
    queue('token_counts', waitingCounts()),
    queue('abandoned_calls', settlement.abandoned.size),
  ]);
  registry.read('stuck', () => one(ledger.isStuck ? 1 : 0));
  registry.read('bodies', () => one(bodies.bytes));
  registry.read('pools', () => Object.entries(sender.connections).map(([state, value]) => pool(state, value)));
  registry.read('feedLag', () => one(changes.lagMs / 1000));
  const books = checkedBooks(context);
  registry.read('booksDifference', () => books.difference());
  registry.read('booksChecked', () => books.age());
  context.onClose(async () => books.stop());
  const stopSite = watchSite(registry, context);
  context.onClose(async () => stopSite());
  const stopWatching = watchProcess(registry);
  context.onClose(async () => stopWatching());
}
