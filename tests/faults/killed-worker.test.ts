// One of several workers is killed: its clients see their connections closed, also those that were only just accepted.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '#tests/support/free-port.ts';
import { startServer, workersOf } from '#tests/support/server-process.ts';
import { until } from '#tests/support/until.ts';

interface Requested {
  socket: Socket;
  /** It was answered, or its connection has ended. */
  isOver: boolean;
}

function ask(port: number): Requested {
  const requested: Requested = { socket: connect(port, '127.0.0.1'), isOver: false };
  const over = () => {
    requested.isOver = true;
  };
  requested.socket.on('data', over).on('close', over).on('error', over);
  requested.socket.write('GET /api/status HTTP/1.1\r\nHost: x\r\n\r\n');
  return requested;
}

test('killed workers leave no client without an answer or a closed connection', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidegate-workers-'));
  const port = await freePort();
  const server = await startServer({ DATABASE_URL: `file:${path.join(folder, 'test.db')}`, WORKERS: '2', PORT: String(port) });
  try {
    await until(() => workersOf(server.pid).length === 2);
    const all: Requested[] = [];
    for (let round = 0; round < 2; round += 1) {
      // Frozen, they cannot confirm what they are given.
      const workers = workersOf(server.pid);
      for (const pid of workers) process.kill(pid, 'SIGSTOP');
      const waiting = Array.from({ length: 8 }, () => ask(port));
      all.push(...waiting);
      await until(() => waiting.every(({ socket }) => !socket.connecting));
      for (const pid of workers) process.kill(pid, 'SIGKILL');
      // And under load, while others take over.
      await until(() => workersOf(server.pid).some((pid) => !workers.includes(pid)));
      await until(async () => {
        const one = ask(port);
        await until(() => one.isOver);
        one.socket.destroy();
        return one.socket.bytesRead > 0;
      });
      const [victim] = workersOf(server.pid);
      const loaded = Array.from({ length: 50 }, () => ask(port));
      all.push(...loaded);
      if (victim !== undefined) process.kill(victim, 'SIGKILL');
      await until(() => workersOf(server.pid).length === 2 && !workersOf(server.pid).includes(victim ?? 0));
    }
    await until(() => all.every(({ isOver }) => isOver)).catch(() => {});
    expect(all.filter(({ isOver }) => !isOver)).toHaveLength(0);
    for (const { socket } of all) socket.destroy();
  } finally {
    await server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});
