// Facts of a metric, and the labels that exist.

export type MetricKind = 'counter' | 'gauge' | 'histogram';

export interface MetricSpec {
  readonly name: string;
  readonly kind: MetricKind;
  /** UCUM; empty for flags. */
  readonly unit: string;
  readonly help: string;
  readonly labels: readonly Label[];
  /** Upper bounds of a histogram, ascending. */
  readonly buckets?: readonly number[];
}

export type Label =
  | 'gen_ai.operation.name'
  | 'gen_ai.provider.name'
  | 'gen_ai.request.model'
  | 'gen_ai.token.modality'
  | 'error.type'
  | 'tidegate.attempt.outcome'
  | 'tidegate.channel.id'
  | 'tidegate.entry.kind'
  | 'tidegate.key.id'
  | 'tidegate.key.state'
  | 'tidegate.pool.state'
  | 'tidegate.queue.name'
  | 'tidegate.bill.account.id'
  | 'tidegate.upkeep.kind'
  | 'tidegate.work.kind'
  | 'tidegate.work.outcome'
  | 'db.system.name'
  | 'db.operation.name'
  | 'db.collection.name'
  | 'cpu.mode'
  | 'tidegate.worker';
