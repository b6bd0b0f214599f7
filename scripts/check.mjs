// `npm run check`: everything that can be found without running the product. All steps run, also after a failure.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { installMissing, root, tool, toolEnvironment } from './prepare.mjs';

const script = (name) => [tool('node'), path.join(root, 'scripts', name)];

/** Name and command of each step. What a step prints is shown when it fails, lines like `shown` always; `expect` must be in it. */
const steps = [
  { name: 'lock file', command: [...script('complete-lock.mjs'), '--check'] },
  { name: 'types', command: [tool('tsc'), '--noEmit', '-p', '.'] },
  { name: 'lint', command: [tool('oxlint'), '--deny-warnings', '--format', 'unix'] },
  { name: 'styles', command: [tool('stylelint'), 'pwa/**/*.css', '--max-warnings', '0', '--formatter', 'unix'] },
  { name: 'format', command: [tool('oxfmt'), '--check'], hint: '`npm run format` puts it right.' },
  {
    name: 'dependencies',
    command: script('check-dependencies.ts'),
    // A parser that reads nothing finds no fault either.
    expect: /no dependency violations found \(\d{3,} modules/,
  },
  { name: 'translations', command: script('check-translations.ts') },
  { name: 'words', command: script('check-words.ts'), hint: 'Use the standard term: told → reported, asked → requested, kept → stored.' },
  { name: 'first paint', command: script('check-first-paint.ts'), shown: /of \d+ kB/ },
  { name: 'translation doc', command: [...script('write-translation-doc.ts'), '--check'] },
  { name: 'metrics doc', command: [...script('write-metrics-doc.ts'), '--check'] },
  { name: 'provider doc', command: [...script('write-provider-doc.ts'), '--check'] },
  { name: 'mutations', command: [...script('test-mutations.mjs'), '--check'] },
  { name: 'bundle', command: script('check-bundle.ts'), shown: /of \d+ kB/ },
  {
    name: 'call budget',
    command: [tool('node'), path.join(root, 'tests/budget/call-budget.ts')],
    hint: '`node scripts/run-node.mjs tests/budget/call-budget.ts --write` stores new figures; the commit says why they rose.',
  },
];

installMissing();
const chosen = process.argv.slice(2);
const failed = [];
for (const step of steps.filter(({ name }) => chosen.length === 0 || chosen.includes(name))) {
  const startedAt = performance.now();
  const result = spawnSync(step.command[0], step.command.slice(1), {
    cwd: root,
    encoding: 'utf8',
    env: toolEnvironment(),
    maxBuffer: 64e6,
    shell: process.platform === 'win32',
  });
  const printed = `${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`;
  const isGood = result.status === 0 && (step.expect === undefined || step.expect.test(printed));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${isGood ? 'passed' : 'FAILED'}  ${step.name.padEnd(14)}${seconds.padStart(6)} s`);
  const lines = printed
    .trimEnd()
    .split('\n')
    .filter((line) => (isGood ? step.shown?.test(line) : true));
  for (const line of lines) console.log(`        ${line}`);
  if (!isGood && step.hint !== undefined) console.log(`        ${step.hint}`);
  if (!isGood) failed.push(step.name);
}
if (failed.length > 0) {
  console.log(`check failed: ${failed.join(', ')}`);
  process.exit(1);
}
console.log('check passed');
