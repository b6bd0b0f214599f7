// Metrics of money, at the ledger, through which all of it passes: calls, tasks, batches, refunds, top-ups.
import type { LedgerObserver } from '#server/money/ledger-observer.ts';
import type { Settings } from '#server/settings/settings.ts';
import { entryKindOf } from '#server/accounts/entry-kinds.ts';
import type { Counter, Registry } from '#server/telemetry/registry.ts';
import type { KnownNames } from '#server/slices/metrics/known-names.ts';

export function createMoneyMetrics(registry: Registry, names: KnownNames, settings: Pick<Settings, 'get'>): LedgerObserver {
  const reserved = registry.counter('reserved', {});
  /** Channel → model. */
  const charged = new Map<number, Map<string, Counter>>();
  let revision = -1;
  const dollars = (quota: number) => quota / settings.get('QuotaPerUnit');

  function chargesOf(channelId: number, model: string): Counter {
    const current = names.current();
    if (current !== revision) charged.clear();
    revision = current;
    let byModel = charged.get(channelId);
    if (byModel === undefined) charged.set(channelId, (byModel = new Map()));
    const name = names.model(model);
    let counter = byModel.get(name);
    if (counter === undefined) {
      counter = registry.counter('charged', { 'gen_ai.request.model': name, 'tidegate.channel.id': names.channel(channelId) });
      byModel.set(name, counter);
    }
    return counter;
  }

  return {
    reserved(amount) {
      reserved.value += dollars(amount);
    },
    charged({ channel_id, model_name, quota }) {
      if (quota > 0) chargesOf(channel_id, model_name).value += dollars(quota);
    },
    changed({ account, kind }, amount) {
      // Limits of tokens are no money.
      if (account !== 'user' || amount === 0) return;
      const metric = amount > 0 ? 'credited' : 'debited';
      registry.counter(metric, { 'tidegate.entry.kind': entryKindOf(kind) }).value += dollars(Math.abs(amount));
    },
  };
}
