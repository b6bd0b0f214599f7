// `node .ci/tally.mjs FOLDER PART…`: adds up what the parts of .ci/run did and prints the closing line. A part counts its
// tests (PART.json of vitest) or its steps (PART.log of `npm run check`); one that ended badly without naming a failure, or
// that counted nothing at all, is a failure of its own.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const [folder = '', ...parts] = process.argv.slice(2);
const total = { passed: 0, failed: 0, skipped: 0 };

for (const part of parts) {
  const counted = count(part);
  const status = read(`${part}.status`).trim();
  if (counted.failed === 0 && (status !== '0' || counted.passed === 0)) counted.failed = 1;
  console.log(`${part}: ${counted.passed} passed, ${counted.failed} failed, ${counted.skipped} skipped, exit ${status || 'unknown'}`);
  for (const [name, value] of Object.entries(counted)) total[name] += value;
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 && parts.length > 0 ? 0 : 1;

function count(part) {
  const text = read(`${part}.json`);
  if (text === '') {
    const lines = read(`${part}.log`).split('\n');
    return {
      passed: lines.filter((line) => /^passed {2}/.test(line)).length,
      failed: lines.filter((line) => /^FAILED {2}/.test(line)).length,
      skipped: 0,
    };
  }
  try {
    const report = JSON.parse(text);
    // A file that could not be loaded has no tests, but is a failed suite.
    const unloaded = report.testResults.filter(
      ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
    ).length;
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests + unloaded,
      skipped: report.numPendingTests + report.numTodoTests,
    };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

function read(name) {
  const file = path.join(folder, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
