// Sends notices from this process, every few seconds. All processes do; each notice is taken by one of them.
import type { AppContext } from '#server/context.ts';
import { deliverDue } from '#server/notify/deliver.ts';

const tickMs = 5_000;

export interface DeliveryTimer {
  /** No further run; resolves when the current one has ended. */
  stop(): Promise<void>;
}

export function startDelivery(context: AppContext): DeliveryTimer {
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    try {
      await context.lowBalance.check();
      await deliverDue(context);
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
      clearInterval(timer);
      await running;
      // Whoever crossed their mark with the last calls is told by the next process.
      await context.lowBalance.check().catch((failure: unknown) => {
        context.log.warn({ reason: String(failure) }, 'the last charges were not looked at for warnings');
      });
    },
  };
}
