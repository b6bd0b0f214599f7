// `npm run test:durations -- REPORT.json…`: stores how long the test files took that took long, from the JSON reports of vitest
// (`npm test -- --reporter=json --outputFile.json=REPORT.json`). The longest are begun first (`tests/support/longest-first.ts`).
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './prepare.mjs';

/** Seconds; what is shorter may come at any time. */
const leastSeconds = 15;
const file = path.join(root, 'tests/durations.json');

const durations = JSON.parse(readFileSync(file, 'utf8'));
for (const report of process.argv.slice(2)) {
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const measured = {};
  for (const { name, startTime, endTime } of testResults) {
    const known = path.relative(root, name);
    // On two engines a file runs twice: the longer one counts.
    measured[known] = Math.max(measured[known] ?? 0, Math.round((endTime - startTime) / 1000));
  }
  Object.assign(durations, measured);
}
const long = Object.entries(durations)
  .filter(([, seconds]) => seconds >= leastSeconds)
  .toSorted(([one, a], [other, b]) => b - a || one.localeCompare(other));
writeFileSync(file, `${JSON.stringify(Object.fromEntries(long), null, 2)}\n`);
console.log(`${long.length} files take ${leastSeconds} s or more`);
