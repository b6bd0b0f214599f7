import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { onBothEngines } from './tests/both-engines.ts';
import { withOwnPage } from './tests/console-files.ts';
import { LongestFirst } from './tests/support/longest-first.ts';
import { RetriedTests } from './tests/support/retried-tests.ts';

/** Files share their worker, and its loaded modules: no module of the server holds state of an application that has ended. */
const server = {
  environment: 'node',
  pool: 'forks',
  isolate: false,
  // Only what hangs takes as long, whatever else the machine does.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  // A wait that is too short on a busy machine is repeated once, and named; a wrong answer is not.
  retry: { count: 1, condition: /timed out (in \d+ms|while)|Nothing happened within|in time/i },
} as const;

const page = { environment: 'happy-dom', testTimeout: 600_000 } as const;

const hasMongo = Boolean(process.env['TEST_MONGODB_URL']);

export default defineConfig({
  test: {
    // Two more than there are processors: most of the time of a file of the server is waiting, for its own timers, sockets and database.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new RetriedTests()],
    projects: [
      {
        test: {
          ...server,
          name: 'server',
          include: [
            'shared/**/*.test.ts',
            'server/**/*.test.ts',
            'tests/{contract,http,relay,conformance,faults,support,deploy}/**/*.test.ts',
          ],
          env: { TEST_ENGINE: 'embedded' },
        },
      },
      ...(hasMongo
        ? [
            {
              test: {
                ...server,
                name: 'mongodb',
                include: [...onBothEngines],
                env: { TEST_ENGINE: 'mongodb' },
              },
            },
          ]
        : []),
      {
        test: {
          ...page,
          name: 'pwa',
          include: ['pwa/**/*.test.{ts,tsx}'],
          exclude: [...withOwnPage],
          isolate: false,
          setupFiles: ['tests/support/fresh-page.ts'],
        },
      },
      { test: { ...page, name: 'pwa-alone', include: [...withOwnPage] } },
    ],
  },
});
