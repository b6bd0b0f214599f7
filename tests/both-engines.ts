// Which test files run on MongoDB too, where TEST_MONGODB_URL names a server: those that take `engines` from `tests/support/engines.ts`.
// Storage, what goes wrong midway, money, and at least one path of every route do (every kind of call: `faults/killed-calls`). What a file
// says of formats and prices is the same on each: it takes `oneEngine`. `TEST_ENGINES=all` runs them all on both.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const takesEngines = /^import \{[^}]*\b(?:engines|onEachEngine)\b[^}]*\} from '#tests\/support\/engines\.ts'/m;
const takesOne = /^import \{[^}]*\boneEngine\b[^}]*\} from '#tests\/support\/engines\.ts'/m;
const isAll = process.env['TEST_ENGINES'] === 'all';

export const onBothEngines: readonly string[] = globSync('tests/{contract,http,relay,conformance,faults,support}/**/*.test.ts', {
  cwd: root,
})
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => {
    const source = readFileSync(path.join(root, file), 'utf8');
    return takesEngines.test(source) || (isAll && takesOne.test(source));
  })
  .sort();
