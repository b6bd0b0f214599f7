// `npm test [files]`: installs what is missing, runs every test that needs no external service.
import { become, installMissing, tool } from './prepare.mjs';

installMissing();
become(tool('vitest'), ['run', ...process.argv.slice(2)]);
