import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import type { ProcessRecord } from '#server/db/records/process.ts';
import { createFailureDetector } from '#server/money/recovery/failure-detector.ts';
import { hostOf, living, thisHost } from '#server/money/recovery/server-process.ts';

const start = Date.UTC(2026, 0, 1);
/** Above the maximum pid of Linux. */
const noPid = 5_000_000;

function row(fields: Partial<ProcessRecord> = {}): ProcessRecord {
  return { id: 'pother', host: 'elsewhere', pid: 1, started_at: 0, heartbeat_at: start, state: 'alive', settled_seq: 0, ...fields };
}

/** A detector whose clock is moved by the test. */
function arrange() {
  let monotonic = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => monotonic);
  return {
    detector: createFailureDetector(),
    pass(milliseconds: number) {
      monotonic += milliseconds;
    },
  };
}

afterEach(() => {
  vi.restoreAllMocks();
});

test('failure detector: a process on another machine is dead after its heartbeat was observed unchanged for 20 seconds', () => {
  const { detector, pass } = arrange();
  expect(detector.failed([row()])).toEqual([]);
  pass(15_000);
  expect(detector.failed([row({ heartbeat_at: start + 14_000 })])).toEqual([]);
  pass(19_000);
  expect(detector.failed([row({ heartbeat_at: start + 14_000 })])).toEqual([]);
  pass(2_000);
  expect(detector.failed([row({ heartbeat_at: start + 14_000 })])).toHaveLength(1);
});

test.each([
  ['a minute', 61_000],
  ['a day', 24 * 3_600_000],
])('failure detector: a process on another machine whose clock is %s off is not dead at the first observation', (_howFar, skew) => {
  const { detector, pass } = arrange();
  const now = Date.now();
  const rows = (heartbeat: number) => [
    row({ heartbeat_at: heartbeat - skew }),
    row({ id: 'psecond', heartbeat_at: heartbeat + skew }),
    row({ id: 'pthird', state: 'recovering', settler: { host: 'elsewhere', pid: 2 }, heartbeat_at: heartbeat - skew }),
  ];
  expect(detector.failed(rows(now))).toEqual([]);
  pass(19_000);
  expect(detector.failed(rows(now + 19_000))).toEqual([]);
  pass(21_000);
  expect(detector.failed(rows(now + 19_000))).toHaveLength(3);
});

test('failure detector: after a database outage the 20 seconds begin again', () => {
  const { detector, pass } = arrange();
  detector.failed([row()]);
  detector.forget();
  pass(600_000);
  expect(detector.failed([row()])).toEqual([]);
  pass(21_000);
  expect(detector.failed([row()])).toHaveLength(1);
});

test('failure detector: a process that reported its end is dead at once', () => {
  const { detector } = arrange();
  expect(detector.failed([row({ heartbeat_at: 0 })])).toHaveLength(1);
});

test('failure detector: on this machine a missing pid means dead at once, and a process that hangs is dead after 20 seconds', () => {
  const { detector, pass } = arrange();
  expect(detector.failed([row({ host: thisHost, pid: noPid })])).toHaveLength(1);
  const hanging = row({ id: 'phanging', host: thisHost, pid: process.ppid });
  expect(detector.failed([hanging])).toEqual([]);
  pass(21_000);
  expect(detector.failed([hanging])).toHaveLength(1);
});

test('failure detector: a machine with the same name and another boot id is another machine', () => {
  const { detector, pass } = arrange();
  const other = hostOf({ name: hostname(), boot: '6f1c2f0e-0000-4000-8000-000000000000', namespace: thisHost.split('/').at(-1) ?? '' });
  const rows = [row({ host: other, pid: noPid }), row({ id: 'pequal', host: other, pid: process.pid })];
  expect(detector.failed(rows)).toEqual([]);
  pass(19_000);
  expect(detector.failed(rows.map((one) => ({ ...one, heartbeat_at: start + 19_000 })))).toEqual([]);
  // If another machine's process settles books, that process is watched, not a local one with the same pid.
  const recovering = row({ id: 'psettled', state: 'recovering', settler: { host: other, pid: noPid } });
  expect(detector.failed([recovering])).toEqual([]);
});

test.runIf(process.platform === 'linux')('failure detector: the host id contains the boot id of the kernel', () => {
  expect(thisHost).toContain(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
});

test('failure detector: the pid of this process under an unknown identity means a former process', () => {
  const { detector } = arrange();
  living.add('pliving');
  expect(
    detector.failed([row({ id: 'pliving', host: thisHost, pid: process.pid }), row({ id: 'pformer', host: thisHost, pid: process.pid })]),
  ).toMatchObject([{ id: 'pformer' }]);
  living.delete('pliving');
});

test('failure detector: while books are being settled, the settler is observed', () => {
  const { detector } = arrange();
  const dead = row({ state: 'recovering', settler: { host: thisHost, pid: noPid } });
  const alive = row({ id: 'psecond', host: thisHost, pid: noPid, state: 'recovering', settler: { host: thisHost, pid: process.ppid } });
  expect(detector.failed([dead, alive])).toEqual([dead]);
});
