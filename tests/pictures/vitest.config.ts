// Pictures of the console: `npm run pictures`. They need Chromium and take minutes.
import path from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: path.resolve(import.meta.dirname, '../..'),
  test: { name: 'pictures', include: ['tests/pictures/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000 },
});
