// Workers that die during a restart are replaced, and none is left over.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '#tests/support/free-port.ts';
import { startServer, workersOf } from '#tests/support/server-process.ts';
import { until } from '#tests/support/until.ts';

test('a worker that dies while its successor starts leaves no worker too many, whatever the number of signals', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidegate-restart-'));
  const env = { DATABASE_URL: `file:${path.join(folder, 'test.db')}`, WORKERS: '2', PORT: String(await freePort()), LOG_LEVEL: 'info' };
  const server = await startServer(env);
  const workers = () => workersOf(server.pid);
  const restarts = () => server.output().split('all workers have been restarted').length - 1;
  try {
    await until(() => workers().length === 2, 120_000);
    const former = workers();
    for (let signal = 0; signal < 20; signal += 1) process.kill(server.pid, 'SIGHUP');
    await until(() => workers().length === 3, 120_000);
    const fresh = workers().find((pid) => !former.includes(pid)) ?? 0;
    process.kill(fresh, 'SIGSTOP');
    process.kill(former[0] ?? 0, 'SIGKILL');
    await until(() => workers().some((pid) => pid !== fresh && !former.includes(pid)), 120_000);
    process.kill(fresh, 'SIGCONT');
    await until(() => restarts() > 0 && workers().length === 2 && !workers().some((pid) => former.includes(pid)), 120_000);
    // The signals of a storm are one more restart at most.
    expect(restarts()).toBeLessThanOrEqual(2);
  } finally {
    const left = workers();
    await server.kill('SIGKILL');
    // One that is stopped would hold the database for ever.
    for (const pid of left) killIfAlive(pid);
    rmSync(folder, { recursive: true, force: true });
  }
});

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended with its primary process.
  }
}
