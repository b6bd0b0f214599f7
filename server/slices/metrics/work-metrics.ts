// Metrics of work that lasts longer than a request, at its first and its last write; realtime sessions in memory.
import type { WorkName, WorkObserver, WorkOutcome } from '#server/telemetry/work-observer.ts';
import type { Registry } from '#server/telemetry/registry.ts';
import type { KnownNames } from '#server/slices/metrics/known-names.ts';

export function createWorkMetrics(registry: Registry, names: KnownNames, now: () => number): WorkObserver {
  /** Open sessions: model and milliseconds of their start. */
  const sessions = new Set<{ model: string; since: number }>();
  const labelsOf = (kind: WorkName, model: string) => {
    names.current();
    return { 'tidegate.work.kind': kind, 'gen_ai.request.model': names.model(model) };
  };
  function started(kind: WorkName, model: string): void {
    registry.counter('workStarted', labelsOf(kind, model)).value += 1;
  }
  function ended(kind: WorkName, model: string, outcome: WorkOutcome): void {
    registry.counter('workEnded', { ...labelsOf(kind, model), 'tidegate.work.outcome': outcome }).value += 1;
  }
  registry.read('realtimeSessions', () => {
    names.current();
    const open = Map.groupBy(sessions, ({ model }) => names.model(model));
    return Array.from(open, ([model, { length: value }]) => ({ labels: { 'gen_ai.request.model': model }, value }));
  });
  registry.read('realtimeOldest', () => {
    // In the order of their start.
    const [oldest] = sessions;
    return oldest === undefined ? [] : [{ labels: {}, value: (now() - oldest.since) / 1000 }];
  });
  return {
    started,
    ended,
    sessionOpened(model) {
      const session = { model, since: now() };
      sessions.add(session);
      started('realtime', model);
      return (outcome) => {
        if (sessions.delete(session)) ended('realtime', model, outcome);
      };
    },
  };
}
