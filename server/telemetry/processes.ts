// Metrics of all server processes that share a port. A collection reaches one of them, or the primary process, which requests those of all workers; each
// worker's series have its number as a label. Numbers are reused after a restart, so that their count does not grow.
import cluster, { type Worker } from 'node:cluster';
import { z } from 'zod';
import { type MetricKey, metricSpecs } from '#server/telemetry/catalogue.ts';
import type { Family, Registry } from '#server/telemetry/registry.ts';

export interface ProcessMetrics {
  /** Number of the worker; null if there is one process. */
  worker: number | null;
  /** Null if it did not answer in time. */
  families: Family[] | null;
}

export interface Processes {
  /** Collects the metrics of all processes. Several collections at once share one. */
  collect(): Promise<ProcessMetrics[]>;
  stop(): void;
}

/** Milliseconds that a worker has to answer: less than Prometheus waits. */
const answerMs = 3000;

const Labels = z.record(z.string(), z.string());
const point = z.union([
  z.object({ labels: Labels, value: z.number() }),
  z.object({ labels: Labels, counts: z.array(z.number()), sum: z.number() }),
]);
const isMetric = (name: unknown): name is MetricKey => typeof name === 'string' && Object.hasOwn(metricSpecs, name);
const Families = z.array(z.object({ metric: z.custom<MetricKey>(isMetric), points: z.array(point) }));
const ProcessList = z.array(z.object({ worker: z.number().nullable(), families: Families.nullable() }));

const Message = z.discriminatedUnion('telemetry', [
  /** The primary process to a worker. */
  z.object({ telemetry: z.literal('collect'), id: z.number() }),
  z.object({ telemetry: z.literal('collected'), id: z.number(), families: Families }),
  /** A worker to the primary process. */
  z.object({ telemetry: z.literal('gather'), id: z.number() }),
  z.object({ telemetry: z.literal('gathered'), id: z.number(), processes: ProcessList }),
]);

function messageOf(message: unknown): z.output<typeof Message> | null {
  return Message.safeParse(message).data ?? null;
}

/** Requests whose answers arrive as messages. */
function createAnswers<Answer>() {
  const waiting = new Map<number, (answer: Answer) => void>();
  let last = 0;
  return {
    /** Resolves with the answer, or with null after the time. */
    request(send: (id: number) => void): Promise<Answer | null> {
      const id = (last += 1);
      return new Promise((resolve) => {
        const timer = setTimeout(() => end(null), answerMs);
        const end = (answer: Answer | null) => {
          clearTimeout(timer);
          waiting.delete(id);
          resolve(answer);
        };
        waiting.set(id, end);
        send(id);
      });
    },
    received: (id: number, answer: Answer) => waiting.get(id)?.(answer),
  };
}

/** The processes as one of them sees them. */
export function processesOf(registry: Registry): Processes {
  if (!cluster.isWorker) return { collect: () => Promise.resolve([{ worker: null, families: registry.collect() }]), stop: () => {} };
  const answers = createAnswers<ProcessMetrics[]>();
  const listener = (message: unknown) => {
    const received = messageOf(message);
    if (received?.telemetry === 'collect') process.send?.({ telemetry: 'collected', id: received.id, families: registry.collect() });
    if (received?.telemetry === 'gathered') answers.received(received.id, received.processes);
  };
  process.on('message', listener);
  return {
    collect: shared(async () => {
      const processes = await answers.request((id) => process.send?.({ telemetry: 'gather', id }));
      if (processes === null) throw new Error('The primary process did not answer');
      return processes;
    }),
    stop: () => void process.off('message', listener),
  };
}

/** The workers as the primary process sees them. Called before the first one is started. */
export function workerProcesses(): Processes {
  const numbers = new Map<number, number>();
  const answers = createAnswers<Family[]>();
  const isFree = (number: number) => ![...numbers.values()].includes(number);
  const forked = ({ id }: Worker) => {
    let number = 1;
    while (!isFree(number)) number += 1;
    numbers.set(id, number);
  };
  const exited = ({ id }: Worker) => void numbers.delete(id);
  const collect = shared(() => {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    return Promise.all(
      workers.map(async (worker) => ({
        worker: numbers.get(worker.id) ?? 0,
        families: await answers.request((id) => sendTo(worker, { telemetry: 'collect', id })),
      })),
    );
  });
  const received = (worker: Worker, message: unknown) => {
    const read = messageOf(message);
    if (read?.telemetry === 'collected') answers.received(read.id, read.families);
    if (read?.telemetry === 'gather') void collect().then((processes) => sendTo(worker, { telemetry: 'gathered', id: read.id, processes }));
  };
  cluster.on('fork', forked).on('exit', exited).on('message', received);
  return { collect, stop: () => void cluster.off('fork', forked).off('exit', exited).off('message', received) };
}

/** A worker that has just ended takes no message. */
function sendTo(worker: Worker, message: object): void {
  worker.send(message, () => {});
}

/** Callers that come while one result is in the making get that result. */
function shared<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let making: Promise<Result> | undefined;
  return () => {
    making ??= make().finally(() => {
      making = undefined;
    });
    return making;
  };
}
