// Browser tests: `npm run test:e2e`. They need Chromium, so `npm test` leaves them out.
import path from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: path.resolve(import.meta.dirname, '../..'),
  test: {
    name: 'e2e',
    include: ['tests/e2e/**/*.test.ts'],
    // A browser and a server each: more at once would make waits out of work.
    maxWorkers: 2,
    // Two browsers on two processors are late now and then. What fails three times is a fault; the report names what was run again.
    retry: 2,
    testTimeout: 60_000,
    hookTimeout: 90_000,
  },
});
