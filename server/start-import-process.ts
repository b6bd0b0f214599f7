import { fork } from 'node:child_process';
import type { AppContext } from '#server/context.ts';
import type { RunOrder } from '#server/slices/imports/runs/import-host.ts';
import { aliveMs } from '#server/slices/imports/runs/run-records.ts';

/** Memory of the process in MB: a hostile database ends it alone. */
const mostMemory = 1_536;
/** Time for the current page at shutdown. */
const patienceMs = 8_000;

/** In a process of its own: neither its memory nor a file that ends it concerns a call. */
export function inImportProcess({ env, db }: Pick<AppContext, 'env' | 'db'>): RunOrder {
  return ({ id, worker, signal }) =>
    new Promise((resolve, reject) => {
      // In the environment of a worker, the process would be one as well.
      const { NODE_UNIQUE_ID: _unique, ...variables } = process.env;
      const child = fork(new URL('./import-process.ts', import.meta.url), [String(id), worker], {
        env: { ...variables, DATABASE_URL: env.DATABASE_URL, LOG_LEVEL: env.LOG_LEVEL },
        execArgv: [`--max-old-space-size=${mostMemory}`],
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      let end: NodeJS.Timeout | undefined;
      const stop = () => {
        if (child.connected) child.send('stop', () => {});
        end ??= setTimeout(() => child.kill('SIGKILL'), patienceMs);
      };
      // A query without an end prevents its signs of life.
      const watch = setInterval(() => {
        db.collection('imports')
          .get(id)
          .then((run) => {
            if (run !== null && run.worker === worker && run.alive_until < Date.now() - aliveMs) child.kill('SIGKILL');
          })
          .catch(() => {});
      }, aliveMs);
      watch.unref();
      child.once('error', reject);
      child.once('exit', () => {
        clearTimeout(end);
        clearInterval(watch);
        signal.removeEventListener('abort', stop);
        resolve();
      });
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop);
    });
}
