// `npm run pictures [-- --all] [-- --only /log]`: builds the console and photographs its screens into `pictures/`.
import { become, buildConsole, installMissing, tool, toolEnvironment } from './prepare.mjs';

const given = process.argv.slice(2);
const only = given.includes('--only') ? given[given.indexOf('--only') + 1] : '';
const environment = { ...toolEnvironment(), PICTURES: given.includes('--all') ? 'all' : 'some', PICTURES_ONLY: only ?? '' };

installMissing();
buildConsole();
become(tool('vitest'), ['run', '--config', 'tests/pictures/vitest.config.ts'], environment);
