// The tests that need the packages of this folder, or programs of others: by `npm run test:sdks`, `test:comply`, `test:agents`.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['tests/sdks/**/*.test.ts'],
    environment: 'node',
    pool: 'forks',
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    env: { TEST_ENGINE: 'embedded' },
    // Google's older package makes two copies of a stream and does not handle the errors of the second one after a caller leaves.
    onUnhandledError: ({ message, stack }) =>
      !(message.includes('Error reading from the stream') && stack?.includes('@google/generative-ai') === true),
  },
});
