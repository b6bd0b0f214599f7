// `node .ci/tally.mjs FOLDER PART…`: adds up what the parts of .ci/run did and prints the closing line. A part counts its tests (PART.json of vitest)
// or its steps (PART.log of `npm run check`); one that ended badly without naming a failure, or that counted nothing at all, is a failure of its own.
// What failed is named above the closing line, with the head of its message. Times are reported (PART.seconds, those of the slowest files) and never
// a failure: machines differ.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const [folder = '', ...parts] = process.argv.slice(2);
const total = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
/** Tests that passed at the second try only. */
const retried = [];
const namedAtMost = 40;
const messageCharacters = 1_500;
const slowestShown = 10;
/** Time limit of a check of everything, so that no run waits for it twice. */
const mostMinutes = 25;
/** Seconds of each test file; one that runs on two engines is two. */
const files = [];

for (const part of parts) {
  const counted = count(part);
  const status = read(`${part}.status`).trim();
  if (counted.failed === 0 && (status !== '0' || counted.passed === 0)) counted.failed = 1;
  console.log(`${part}: ${counted.passed} passed, ${counted.failed} failed, ${counted.skipped} skipped, exit ${status || 'unknown'}`);
  for (const [name, value] of Object.entries(counted)) total[name] += value;
}
for (const failure of failures.slice(0, namedAtMost)) console.log(failure);
if (failures.length > namedAtMost) console.log(`and ${failures.length - namedAtMost} more`);
console.log(`${retried.length} passed at the second try only`);
for (const name of retried) console.log(`RETRIED  ${name}`);
tellTimes();
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 && parts.length > 0 ? 0 : 1;

function tellTimes() {
  const times = ['set-up', ...parts].map((part) => `${part} ${minutes(read(`${part}.seconds`))}`);
  console.log(`Time: ${times.join(', ')}`);
  files.sort((one, other) => other.seconds - one.seconds);
  if (files.length > 0) console.log('Slowest files:');
  for (const { name, seconds } of files.slice(0, slowestShown)) console.log(`${seconds.toFixed(0).padStart(6)} s  ${name}`);
  const whole = Number(read('whole.seconds'));
  if (whole > mostMinutes * 60) console.log(`WARNING  The whole took ${minutes(whole)}; it is meant to take ${mostMinutes} min at most`);
}

function minutes(seconds) {
  const whole = Math.round(Number(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')} min`;
}

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
    for (const { name, startTime, endTime, assertionResults } of report.testResults) {
      if (assertionResults.length > 0) files.push({ name: path.relative(process.cwd(), name), seconds: (endTime - startTime) / 1000 });
      for (const { status, fullName, failureMessages } of assertionResults) {
        if (status === 'failed') noteFailure(`${name}: ${fullName}`, failureMessages.join('\n'));
        else if (failureMessages.length > 0) retried.push(`${path.relative(process.cwd(), name)}: ${fullName}`);
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
