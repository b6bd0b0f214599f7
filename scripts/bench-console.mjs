// `npm run bench:console`: how fast the console is on a slow phone, as it is built from these sources.
import { become, buildConsole, installMissing, tool } from './prepare.mjs';

installMissing();
buildConsole();
become(tool('node'), ['tests/bench/console.ts', ...process.argv.slice(2)]);
