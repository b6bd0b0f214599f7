// `npm run test:interleavings`: ten thousand random interleavings of calls, and as many of everything else that becomes balance, on each
// engine that there is; `INTERLEAVINGS_RUNS` makes them more or fewer, `INTERLEAVINGS_SEED` others.
import { become, installMissing, tool } from './prepare.mjs';

installMissing();
process.env.INTERLEAVINGS_RUNS ??= '10000';
become(tool('vitest'), [
  'run',
  'tests/faults/interleavings.test.ts',
  'tests/faults/wallet-interleavings.test.ts',
  ...process.argv.slice(2),
]);
