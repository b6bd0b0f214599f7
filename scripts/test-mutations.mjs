// `npm run test:mutations`: makes the deliberate faults of `tests/mutations/*.json` one at a time, in a copy of this checkout, and runs
// the tests that must see each. A fault that no test sees, or whose place is not there any more, is a failure.
// A fault names a declaration (`in`) and what in it becomes something else (`tokens`, `become`), or which statement goes (`remove`).
// `-- --kind server|console|browser`, `-- --only ID` (both may be given several times), `-- --list`. `--check`, which `npm run check`
// does, only looks whether each could be made: its place is there once, its tests are there.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { withFault } from './mutation-place.mjs';
import { installMissing, root, toolEnvironment } from './prepare.mjs';

const { values } = parseArgs({
  options: {
    kind: { type: 'string', multiple: true, default: [] },
    only: { type: 'string', multiple: true, default: [] },
    list: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});
const folder = 'tests/mutations';
/** Not part of the copy. */
const left = new Set(['.git', 'node_modules', 'dist', 'pictures', 'data']);
/** A fault may also make its tests wait for ever: a test that waits so long has failed. */
const testTimeout = 240_000;
const mostMinutes = 10;

const all = readdirSync(path.join(root, folder))
  .filter((name) => name.endsWith('.json'))
  .sort()
  .flatMap((name) => JSON.parse(readFileSync(path.join(root, folder, name), 'utf8')))
  .map((mutation) => ({ ...mutation, kind: kindOf(mutation) }));
const ids = new Set(all.map(({ id }) => id));
if (ids.size !== all.length) throw new Error('Two mutations have the same id');
for (const id of values.only) if (!ids.has(id)) throw new Error(`There is no mutation ${id}`);
const chosen = all.filter(
  ({ id, kind }) => (values.kind.length === 0 || values.kind.includes(kind)) && (values.only.length === 0 || values.only.includes(id)),
);

if (values.check) checkAll();
else if (values.list) for (const { id, kind, protects } of chosen) console.log(`${kind.padEnd(8)}${id.padEnd(32)}${protects}`);
else await runAll();

function checkAll() {
  const stale = chosen.flatMap(({ id, tests, ...fault }) => {
    const { problem } = faultIn(root, fault);
    const missing = tests.filter((test) => !existsSync(path.join(root, test))).map((test) => `there is no ${test}`);
    return [...(problem === undefined ? [] : [problem]), ...missing].map((line) => `${id}: ${line}`);
  });
  for (const line of stale) console.log(line);
  console.log(`${chosen.length} deliberate faults`);
  if (stale.length > 0 || chosen.length === 0) process.exitCode = 1;
}

/** The file before and after the fault, or why it cannot be made. */
function faultIn(checkout, fault) {
  try {
    const source = readFileSync(path.join(checkout, fault.file), 'utf8');
    return { source, faulty: withFault(source, fault) };
  } catch (problem) {
    return { problem: problem.message };
  }
}

async function runAll() {
  installMissing();
  const copy = mkdtempSync(path.join(tmpdir(), 'tidegate-mutations-'));
  const end = () => rmSync(copy, { recursive: true, force: true });
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      end();
      process.exit(1);
    });
  }
  const survived = [];
  try {
    makeCopy(copy);
    // A test that fails anyway sees nothing.
    for (const tests of distinctTests()) {
      const before = runTests(copy, tests);
      if (before.ended !== 0) throw new Error(`Without any fault fails: ${tests.join(' ')}\n${before.printed}`);
    }
    for (const mutation of chosen) {
      const startedAt = performance.now();
      const verdict = judge(copy, mutation);
      if (!verdict.isCaught) survived.push(mutation.id);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
      console.log(`${verdict.isCaught ? 'caught  ' : 'SURVIVED'}  ${mutation.id.padEnd(32)}${seconds.padStart(4)} s  ${verdict.by}`);
    }
  } finally {
    end();
  }
  console.log(`${chosen.length - survived.length} caught, ${survived.length} survived`);
  if (survived.length > 0 || chosen.length === 0) process.exitCode = 1;
}

function kindOf({ tests }) {
  if (tests.some((file) => file.startsWith('tests/e2e/'))) return 'browser';
  return tests.some((file) => file.startsWith('pwa/')) ? 'console' : 'server';
}

function makeCopy(copy) {
  mkdirSync(copy, { recursive: true });
  for (const name of readdirSync(root)) {
    if (!left.has(name)) cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'), 'dir');
}

/** The test files that are run together, each set once. */
function distinctTests() {
  const sets = new Map(chosen.map(({ tests }) => [tests.join(' '), tests]));
  return sets.values();
}

function judge(copy, { tests, ...fault }) {
  const place = path.join(copy, fault.file);
  const { source, faulty, problem } = faultIn(copy, fault);
  if (problem !== undefined) return { isCaught: false, by: problem };
  try {
    writeFileSync(place, faulty);
    const { ended, failed, printed } = runTests(copy, tests);
    // A file that fails to load has no failed test: that is a mistake in the fault, not a detection. Nor has one that was stopped because it took too
    // long: its output so far shows which.
    if (failed.length === 0 && ended === 0) return { isCaught: false, by: 'every test passed' };
    if (failed.length === 0) return { isCaught: false, by: `the tests ${ended === null ? 'did not end' : 'could not run'}\n${printed}` };
    return { isCaught: true, by: failed[0] };
  } finally {
    writeFileSync(place, source);
  }
}

/** Up to the first failure. */
function runTests(copy, tests) {
  const report = path.join(copy, 'mutation-report.json');
  rmSync(report, { force: true });
  const script = kindOf({ tests }) === 'browser' ? 'scripts/test-browser.mjs' : 'scripts/test.mjs';
  const options = ['--bail=1', `--testTimeout=${testTimeout}`, '--reporter=json', `--outputFile.json=${report}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(copy, script), ...tests, ...options], {
    cwd: copy,
    encoding: 'utf8',
    env: { ...toolEnvironment(), CI: 'true' },
    maxBuffer: 64e6,
    timeout: mostMinutes * 60_000,
  });
  return { ended: status, failed: failedIn(report), printed: `${stdout}${stderr}`.slice(-4_000) };
}

function failedIn(report) {
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
    return testResults.flatMap(({ assertionResults }) =>
      assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
    );
  } catch {
    return [];
  }
}
