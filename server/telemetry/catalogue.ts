// Every metric of the server. Names, units and buckets are those of OpenTelemetry's semantic conventions where they have one:
// https://github.com/open-telemetry/semantic-conventions-genai/blob/v0.1.0/docs/gen-ai/gen-ai-metrics.md
// `docs/metrics.md` is written from this list (scripts/write-metrics-doc.ts).

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
  | 'db.system.name'
  | 'db.operation.name'
  | 'db.collection.name'
  | 'cpu.mode'
  | 'tidegate.worker';

const modelLabels = ['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.request.model'] as const;
const tokenLabels = [...modelLabels, 'tidegate.channel.id', 'gen_ai.token.modality'] as const;

export const metricSpecs = {
  requestDuration: {
    name: 'gen_ai.server.request.duration',
    kind: 'histogram',
    unit: 's',
    help: 'Duration of calls that were sent to a channel, from the request to the end of the response.',
    labels: [...modelLabels, 'error.type'],
    buckets: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 163.84],
  },
  timeToFirstToken: {
    name: 'gen_ai.server.time_to_first_token',
    kind: 'histogram',
    unit: 's',
    help: 'Time from the request to the first byte of a successful stream, failed attempts included.',
    labels: modelLabels,
    buckets: [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
  },
  timePerOutputToken: {
    name: 'gen_ai.server.time_per_output_token',
    kind: 'histogram',
    unit: 's',
    help: 'Time per output token after the first one of a successful stream.',
    labels: modelLabels,
    buckets: [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5],
  },
  attemptDuration: {
    name: 'gen_ai.client.operation.duration',
    kind: 'histogram',
    unit: 's',
    help: 'Duration of attempts: requests to one channel. A call has several if it is retried.',
    labels: [...modelLabels, 'tidegate.channel.id', 'error.type'],
    buckets: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 163.84],
  },
  inputTokens: {
    name: 'gen_ai.client.inference.usage.input_tokens',
    kind: 'counter',
    unit: '{token}',
    help: 'Input tokens of settled calls, cached ones included.',
    labels: tokenLabels,
  },
  outputTokens: {
    name: 'gen_ai.client.inference.usage.output_tokens',
    kind: 'counter',
    unit: '{token}',
    help: 'Output tokens of settled calls, reasoning included.',
    labels: tokenLabels,
  },
  cacheReadTokens: {
    name: 'gen_ai.client.inference.usage.cache_read.input_tokens',
    kind: 'counter',
    unit: '{token}',
    help: 'Input tokens that the provider read from its cache; part of the input tokens.',
    labels: tokenLabels,
  },
  cacheWriteTokens: {
    name: 'gen_ai.client.inference.usage.cache_write.input_tokens',
    kind: 'counter',
    unit: '{token}',
    help: 'Input tokens that the provider wrote to its cache; part of the input tokens.',
    labels: tokenLabels,
  },
  reasoningTokens: {
    name: 'gen_ai.client.inference.usage.reasoning.output_tokens',
    kind: 'counter',
    unit: '{token}',
    help: 'Output tokens of reasoning; part of the output tokens.',
    labels: tokenLabels,
  },
  retries: {
    name: 'tidegate.call.retries',
    kind: 'counter',
    unit: '{attempt}',
    help: 'Attempts of calls after their first one.',
    labels: ['gen_ai.request.model'],
  },
  refusals: {
    name: 'tidegate.call.refusals',
    kind: 'counter',
    unit: '{call}',
    help: 'Calls that were refused before any channel was called, by error code.',
    labels: ['error.type'],
  },
  reserved: {
    name: 'tidegate.money.reserved_usd',
    kind: 'counter',
    unit: '{USD}',
    help: 'US dollars reserved for calls and other work.',
    labels: [],
  },
  charged: {
    name: 'tidegate.money.charged_usd',
    kind: 'counter',
    unit: '{USD}',
    help: 'US dollars charged for calls, by the call’s model and channel.',
    labels: ['gen_ai.request.model', 'tidegate.channel.id'],
  },
  credited: {
    name: 'tidegate.money.credited_usd',
    kind: 'counter',
    unit: '{USD}',
    help: 'US dollars added to balances of users outside of calls, by kind of entry; refunds have the kind `refund`.',
    labels: ['tidegate.entry.kind'],
  },
  debited: {
    name: 'tidegate.money.debited_usd',
    kind: 'counter',
    unit: '{USD}',
    help: 'US dollars taken from balances of users outside of calls, by kind of entry.',
    labels: ['tidegate.entry.kind'],
  },
  booksDifference: {
    name: 'tidegate.books.difference_usd',
    kind: 'gauge',
    unit: '{USD}',
    help: 'Credits − spends − balances of all users at the last check, in US dollars; must be 0. The same in all processes.',
    labels: [],
  },
  booksChecked: {
    name: 'tidegate.books.check_age',
    kind: 'gauge',
    unit: 's',
    help: 'Time since the last check of the books, or since the start of the process.',
    labels: [],
  },
  channelHealth: {
    name: 'tidegate.channel.health',
    kind: 'gauge',
    unit: '1',
    help: 'Health of the channel in this process: 1 healthy, 0 paused.',
    labels: ['tidegate.channel.id', 'gen_ai.provider.name'],
  },
  channelEnabled: {
    name: 'tidegate.channel.enabled',
    kind: 'gauge',
    unit: '',
    help: '1 if the channel is enabled and usable, else 0.',
    labels: ['tidegate.channel.id', 'gen_ai.provider.name'],
  },
  channelKeys: {
    name: 'tidegate.channel.keys',
    kind: 'gauge',
    unit: '{key}',
    help: 'Keys of a channel that has several, by their state in this process: `healthy`, `cooling_down`, `refused`, `no_balance`, `disabled`.',
    labels: ['tidegate.channel.id', 'tidegate.key.state'],
  },
  keyState: {
    name: 'tidegate.key.state',
    kind: 'gauge',
    unit: '',
    help: '1 with the state that the key has in this process. Keys of channels that have several, by id of their record.',
    labels: ['tidegate.channel.id', 'tidegate.key.id', 'tidegate.key.state'],
  },
  keyAttempts: {
    name: 'tidegate.key.attempts',
    kind: 'counter',
    unit: '{attempt}',
    help: 'Attempts with the key of a channel that has several: `answered` or `failed`.',
    labels: ['tidegate.channel.id', 'tidegate.key.id', 'tidegate.attempt.outcome'],
  },
  keyTokens: {
    name: 'tidegate.key.tokens',
    kind: 'counter',
    unit: '{token}',
    help: 'Input and output tokens of settled calls with the key of a channel that has several.',
    labels: ['tidegate.channel.id', 'tidegate.key.id'],
  },
  reservations: {
    name: 'tidegate.reservations.open',
    kind: 'gauge',
    unit: '{reservation}',
    help: 'Reservations neither settled nor released: calls and other work in progress.',
    labels: [],
  },
  streams: { name: 'tidegate.streams.open', kind: 'gauge', unit: '{stream}', help: 'Open streams to clients.', labels: [] },
  sockets: { name: 'tidegate.sockets.open', kind: 'gauge', unit: '{socket}', help: 'Open WebSockets of clients.', labels: [] },
  queued: {
    name: 'tidegate.queue.length',
    kind: 'gauge',
    unit: '{item}',
    help: 'Waiting items of the process’s queues: settlements, and counts of tokens.',
    labels: ['tidegate.queue.name'],
  },
  stuck: {
    name: 'tidegate.settlements.stuck',
    kind: 'gauge',
    unit: '',
    help: '1 while the database takes no settlements, or refuses some, else 0.',
    labels: [],
  },
  bodies: {
    name: 'tidegate.bodies.held',
    kind: 'gauge',
    unit: 'By',
    help: 'Memory of request bodies; limited by MAX_BODIES_MB.',
    labels: [],
  },
  pools: {
    name: 'tidegate.upstream.connections',
    kind: 'gauge',
    unit: '{item}',
    help: 'Connections to providers and requests on them, of all pools, by state.',
    labels: ['tidegate.pool.state'],
  },
  databaseDuration: {
    name: 'db.client.operation.duration',
    kind: 'histogram',
    unit: 's',
    help: 'Duration of database operations, waiting included.',
    labels: ['db.system.name', 'db.operation.name', 'db.collection.name', 'error.type'],
    buckets: [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
  },
  feedLag: {
    name: 'tidegate.change_feed.lag',
    kind: 'gauge',
    unit: 's',
    help: 'Time since this process last read the changes of other processes.',
    labels: [],
  },
  eventLoopMean: {
    name: 'nodejs.eventloop.delay.mean',
    kind: 'gauge',
    unit: 's',
    help: 'Mean delay of the event loop since the last collection.',
    labels: [],
  },
  eventLoopP99: {
    name: 'nodejs.eventloop.delay.p99',
    kind: 'gauge',
    unit: 's',
    help: '99th percentile of the event loop’s delay since the last collection.',
    labels: [],
  },
  eventLoopMax: {
    name: 'nodejs.eventloop.delay.max',
    kind: 'gauge',
    unit: 's',
    help: 'Largest delay of the event loop since the last collection.',
    labels: [],
  },
  eventLoopUse: {
    name: 'nodejs.eventloop.utilization',
    kind: 'gauge',
    unit: '1',
    help: 'Busy share of the event loop since the last collection.',
    labels: [],
  },
  heapUsed: { name: 'v8js.memory.heap.used', kind: 'gauge', unit: 'By', help: 'Used memory of the JavaScript heap.', labels: [] },
  heapLimit: { name: 'v8js.memory.heap.limit', kind: 'gauge', unit: 'By', help: 'Maximum memory of the JavaScript heap.', labels: [] },
  memory: { name: 'process.memory.usage', kind: 'gauge', unit: 'By', help: 'Resident memory of the process.', labels: [] },
  cpu: { name: 'process.cpu.time', kind: 'counter', unit: 's', help: 'CPU time of the process, threads included.', labels: ['cpu.mode'] },
  uptime: { name: 'process.uptime', kind: 'gauge', unit: 's', help: 'Time since the process started.', labels: [] },
  workerUp: {
    name: 'tidegate.worker.up',
    kind: 'gauge',
    unit: '',
    help: '1 if the server process answered the collection in time, else 0: its other series are then missing.',
    labels: ['tidegate.worker'],
  },
} as const satisfies Record<string, MetricSpec>;

export type MetricKey = keyof typeof metricSpecs;

/** Name in the Prometheus format, by the rules of OpenTelemetry: unit as suffix, `_total` for counters. */
export function prometheusName({ name, kind, unit }: Pick<MetricSpec, 'name' | 'kind' | 'unit'>): string {
  const withUnit = `${name.replaceAll('.', '_')}${suffixes[unit] ?? ''}`;
  return kind === 'counter' ? `${withUnit}_total` : kind === 'gauge' && unit === '1' ? `${withUnit}_ratio` : withUnit;
}

const suffixes: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes' };
