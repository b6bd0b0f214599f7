// Browser tests: `npm run test:e2e`. They need Chromium, so `npm test` leaves them out.
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from '../support/longest-first.ts';
import { RetriedTests } from '../support/retried-tests.ts';

export default defineConfig({
  root: path.resolve(import.meta.dirname, '../..'),
  test: {
    name: 'e2e',
    include: ['tests/e2e/**/*.test.ts'],
    // A browser and a server each, which wait for each other a third of the time; more than one above the processors would only wait.
    maxWorkers: Math.min(availableParallelism() + 1, 6),
    // Files in turn share a browser and a process of servers; each visitor has a separate profile, server and database.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new RetriedTests()],
    // Three browsers on two processors are late now and then. What fails three times is a fault; the report names what was run again.
    retry: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A page may take a while to show its content where three run at once; Vitest's default is one second.
    expect: { poll: { timeout: 20_000 } },
  },
});
