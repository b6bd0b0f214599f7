// `npm run test:interleavings`: ten thousand random interleavings of calls, as many of everything else that becomes balance, and as many of organisations,
// on each engine that there is; `INTERLEAVINGS_RUNS` makes them more or fewer, `INTERLEAVINGS_SEED` others.
import { become, installMissing, tool } from './prepare.mjs';

installMissing();
process.env.INTERLEAVINGS_RUNS ??= '10000';
become(tool('vitest'), [
  'run',
  'tests/faults/interleavings.test.ts',
  'tests/faults/wallet-interleavings.test.ts',
  'tests/faults/organisation-interleavings.test.ts',
  ...process.argv.slice(2),
]);
