// `npm test [files]`: installs what is missing, runs every test that needs no browser.
import { become, installMissing, testEnvironment, tool } from './prepare.mjs';

installMissing();
if (!process.env.TEST_MONGODB_URL) console.warn('MongoDB is not tested: TEST_MONGODB_URL names no server.');
become(tool('vitest'), ['run', ...process.argv.slice(2)], testEnvironment());
