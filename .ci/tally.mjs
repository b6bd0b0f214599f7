// `node .ci/tally.mjs FOLDER PART…`: adds up what the parts of .ci/run did and prints the closing line. A part counts its
// tests (PART.json of vitest) or its steps (PART.log of `npm run check`); one that ended badly without naming a failure, or
// that counted nothing at all, is a failure of its own. What failed is named above the closing line, with the head of its message.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const [folder = '', ...parts] = process.argv.slice(2);
const total = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
const namedAtMost = 40;
const messageCharacters = 1_500;

for (const part of parts) {
  const counted = count(part);
  const status = read(`${part}.status`).trim();
  if (counted.failed === 0 && (status !== '0' || counted.passed === 0)) counted.failed = 1;
  console.log(`${part}: ${counted.passed} passed, ${counted.failed} failed, ${counted.skipped} skipped, exit ${status || 'unknown'}`);
  for (const [name, value] of Object.entries(counted)) total[name] += value;
}
for (const failure of failures.slice(0, namedAtMost)) console.log(failure);
if (failures.length > namedAtMost) console.log(`and ${failures.length - namedAtMost} more`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 && parts.length > 0 ? 0 : 1;

function count(part) {
  const text = read(`${part}.json`);
  if (text === '') {
    const lines = read(`${part}.log`).split('\n');
    const failed = lines.filter((line) => /^FAILED {2}/.test(line));
    failures.push(...failed);
    return {
      passed: lines.filter((line) => /^passed {2}/.test(line)).length,
      failed: failed.length,
      skipped: 0,
    };
  }
  try {
    const report = JSON.parse(text);
    // A file that could not be loaded has no tests, but is a failed suite.
    const unloaded = report.testResults.filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0);
    for (const { name, message } of unloaded) noteFailure(name, message);
    for (const { name, assertionResults } of report.testResults) {
      for (const { status, fullName, failureMessages } of assertionResults) {
        if (status === 'failed') noteFailure(`${name}: ${fullName}`, failureMessages.join('\n'));
      }
    }
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests + unloaded.length,
      skipped: report.numPendingTests + report.numTodoTests,
    };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

function noteFailure(name, message = '') {
  failures.push(`FAILED  ${path.relative(process.cwd(), name)}\n${message.slice(0, messageCharacters)}`);
}

function read(name) {
  const file = path.join(folder, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
