// Queues the calls of a connection: each named queue runs one call at a time, with a limit of calls in progress over all queues.
import { AppError } from '#shared/errors.ts';

export interface QueuedWork {
  /** Runs the work; a rejection is ignored. */
  run(): Promise<void>;
  /** Called if the work will not run. */
  drop(): void;
}

export interface ConnectionQueues {
  /**
   * Adds work to a queue.
   * @param queue name; null for the default queue
   * @throws {AppError} `websocket_stream_limit_reached`, `too_many_turns`
   */
  add(queue: string | null, work: QueuedWork): void;
  /** Whether nothing runs or waits. */
  readonly isIdle: boolean;
  /** Drops all waiting work. */
  dropWaiting(): void;
}

export interface QueueLimits {
  mostTurns: number;
  mostQueues: number;
  mostWaiting: number;
}

/** @param onIdle called when the last work has ended */
export function createConnectionQueues({ mostTurns, mostQueues, mostWaiting }: QueueLimits, onIdle: () => void): ConnectionQueues {
  const named = new Set<string>();
  const busy = new Set<string | null>();
  let waiting: { queue: string | null; work: QueuedWork }[] = [];

  function start(): void {
    for (let index = 0; index < waiting.length && busy.size < mostTurns;) {
      const next = waiting[index];
      if (next === undefined || busy.has(next.queue)) {
        index += 1;
        continue;
      }
      waiting.splice(index, 1);
      busy.add(next.queue);
      const ended = () => {
        busy.delete(next.queue);
        start();
        if (busy.size === 0) onIdle();
      };
      void next.work.run().then(ended, ended);
    }
  }

  return {
    add(queue, work) {
      if (queue !== null && !named.has(queue)) {
        if (named.size >= mostQueues) throw new AppError('websocket_stream_limit_reached', { limit: mostQueues }, { field: 'stream_id' });
        named.add(queue);
      }
      if (waiting.length >= mostWaiting) throw new AppError('too_many_turns', {}, { retryAfter: 1 });
      waiting.push({ queue, work });
      start();
    },
    get isIdle() {
      return busy.size === 0 && waiting.length === 0;
    },
    dropWaiting() {
      const dropped = waiting;
      waiting = [];
      for (const { work } of dropped) work.drop();
    },
  };
}
