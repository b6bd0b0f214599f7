// `npm run pictures [-- --all] [-- --only /log]`: builds the console and photographs its screens into `pictures/`.
import { parseArgs } from 'node:util';
import { become, buildConsole, installMissing, tool, toolEnvironment } from './prepare.mjs';

const usage = `npm run pictures [-- options]: photographs the console's screens into pictures/index.html

  --all          every state in every size, theme and language
  --only <path>  only screens whose address begins so, for example /log
  --help         this text`;

const { all, only, help } = givenOptions();
if (help) console.log(usage);
else {
  installMissing();
  buildConsole();
  const environment = { ...toolEnvironment(), PICTURES: all ? 'all' : 'some', PICTURES_ONLY: only };
  become(tool('vitest'), ['run', '--config', 'tests/pictures/vitest.config.ts'], environment);
}

/** Unknown options end the run: ignored ones would take all the pictures. */
function givenOptions() {
  const options = {
    all: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    help: { type: 'boolean', short: 'h', default: false },
  };
  try {
    return parseArgs({ options }).values;
  } catch (failure) {
    console.error(`${failure.message}\n\n${usage}`);
    return process.exit(1);
  }
}
