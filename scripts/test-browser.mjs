// `npm run test:e2e [files]`: builds the console and runs the browser tests.
import { become, buildConsole, installMissing, tool } from './prepare.mjs';

installMissing();
buildConsole();
become(tool('vitest'), ['run', '--config', 'tests/e2e/vitest.config.ts', ...process.argv.slice(2)]);
