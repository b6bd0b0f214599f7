// Sends notices from this process, every few seconds. All processes do; each notice is taken by one of them.
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppContext } from '#server/context.ts';
import { deliverDue } from '#server/notify/deliver.ts';
import { noticePatienceMs } from '#server/process/shutdown-bounds.ts';

const tickMs = 5_000;

export interface DeliveryTimer {
  /** No further notice; resolves when those under way have ended, or after some seconds. */
  stop(): Promise<void>;
}

export function startDelivery(context: AppContext): DeliveryTimer {
  let running: Promise<void> | null = null;
  let isStopped = false;

  async function run(): Promise<void> {
    try {
      await context.lowBalance.check();
      await context.budgets.check();
      await deliverDue(context, () => !isStopped);
    } catch (failure) {
      context.log.warn({ reason: String(failure) }, 'notices could not be looked after and are tried again');
    }
  }

  const timer = setInterval(() => {
    running ??= run().finally(() => {
      running = null;
    });
  }, tickMs);
  timer.unref();
  return {
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await Promise.race([running, sleep(noticePatienceMs, undefined, { ref: false })]);
      // The next process warns users whose balance fell below their mark with the last calls.
      await Promise.all([context.lowBalance.check(), context.budgets.check()]).catch((failure: unknown) => {
        context.log.warn({ reason: String(failure) }, 'the last charges were not looked at for warnings');
      });
    },
  };
}
