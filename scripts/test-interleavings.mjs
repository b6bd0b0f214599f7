// `npm run test:interleavings`: ten thousand random interleavings of everything that becomes balance, on each engine that there is;
// `INTERLEAVINGS_RUNS` makes them more or fewer, `INTERLEAVINGS_SEED` others.
import { become, installMissing, tool } from './prepare.mjs';

installMissing();
process.env.INTERLEAVINGS_RUNS ??= '10000';
become(tool('vitest'), ['run', 'tests/faults/wallet-interleavings.test.ts', ...process.argv.slice(2)]);
