// A process that serves for one test after another: starting one is mostly reading a thousand files, and these are read by now.
// Each server has its own database, port and jobs, as several in one process of other tests do.
import '#server/process/heap-tuning.ts';
import { pino } from 'pino';
import { readEnv } from '#server/env.ts';
import { keepServing } from '#server/process/last-resort.ts';
import { serve, type Serving } from '#server/serve.ts';
import type { HostAnswer, HostOrder } from './server-host-client.ts';

const serving = new Map<number, Serving>();

keepServing(pino({ level: 'warn' }));
process.on('message', (order: HostOrder) => void follow(order));
// The process that started it is gone.
process.on('disconnect', () => process.exit(0));

async function follow({ id, server, env }: HostOrder): Promise<void> {
  try {
    if (env === undefined) {
      await serving.get(server)?.stop();
      serving.delete(server);
      answer({ id });
      return;
    }
    const started = await serve(readEnv(env));
    serving.set(server, started);
    answer({ id, port: started.port });
  } catch (failure) {
    answer({ id, failure: failure instanceof Error ? (failure.stack ?? failure.message) : String(failure) });
  }
}

function answer(message: HostAnswer): void {
  process.send?.(message);
}
