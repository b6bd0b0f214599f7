// `npm run test:e2e [files]`: builds the console and runs the browser tests; `-- --all` looks at every screen in every look.
import { become, buildConsole, installMissing, testEnvironment, tool } from './prepare.mjs';

const given = process.argv.slice(2);
if (given.includes('--help')) {
  console.log('npm run test:e2e [-- FILES] [-- --all]: every file without FILES; --all: every screen in every look');
  process.exit(0);
}
installMissing();
buildConsole();
if (given.includes('--all')) process.env.TEST_ALL_LOOKS = '1';
become(tool('vitest'), ['run', '--config', 'tests/e2e/vitest.config.ts', ...given.filter((one) => one !== '--all')], testEnvironment());
