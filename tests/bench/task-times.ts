// Measures the processor time of the longest task of a page's main thread. Only of the page's: Chromium renders pages of its own as well, whose tasks
// are longer than any of the console's. Unlike wall time it does not grow with other load of the machine. Measured at full speed: a browser that is
// slowed down counts its own waiting as work.
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';

const Frame = z.object({ url: z.string(), processId: z.optional(z.number()) });

const Trace = z.object({
  traceEvents: z.array(
    z.object({
      name: z.string(),
      pid: z.number(),
      tid: z.number(),
      /** Of the processor, in microseconds. */
      tdur: z.optional(z.number()),
      args: z.optional(
        z.object({
          name: z.optional(z.unknown()),
          data: z.optional(
            z.object({ frames: z.optional(z.array(Frame)), url: z.optional(z.string()), processId: z.optional(z.number()) }),
          ),
        }),
      ),
    }),
  ),
});

/** Milliseconds of the processor that the longest task takes while `act` runs. */
export async function longestTask(browser: Browser, page: Page, act: () => Promise<void>): Promise<number> {
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', '__metadata'] });
  await act();
  const { traceEvents } = Trace.parse(JSON.parse((await browser.stopTracing()).toString()));
  const { origin } = new URL(page.url());
  const frames = traceEvents.flatMap(({ args }) => [...(args?.data?.frames ?? []), ...(args?.data === undefined ? [] : [args.data])]);
  const processes = new Set(frames.flatMap(({ url, processId }) => (url?.startsWith(`${origin}/`) === true ? [processId] : [])));
  const threads = new Set(
    traceEvents
      .filter(({ name, pid, args }) => name === 'thread_name' && args?.name === 'CrRendererMain' && processes.has(pid))
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(({ name, pid, tid }) => name === 'RunTask' && threads.has(`${pid} ${tid}`));
  if (tasks.length === 0) throw new Error(`No task of ${origin} in the trace`);
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1000));
}
