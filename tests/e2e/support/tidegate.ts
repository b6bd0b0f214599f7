// A real server for browser tests: its own process, a fresh database, the built console, and a provider behind it.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { startFakeUpstream } from '#tests/support/fake-upstream.ts';
import type { FakeUpstream } from '#tests/support/fake-upstream.ts';

const root = path.resolve(import.meta.dirname, '../../..');

export interface Tidegate extends AsyncDisposable {
  url: string;
  upstream: FakeUpstream;
  /** Ends the server process; the database stays. */
  stop(): Promise<void>;
  /** Starts it anew on the same port and database. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function startTidegate(env: Record<string, string> = {}): Promise<Tidegate> {
  if (!existsSync(path.join(root, 'dist/console/index.html'))) throw new Error('The console is not built: npm run test:e2e builds it');
  const folder = await mkdtemp(path.join(tmpdir(), 'tidegate-e2e-'));
  const upstream = await startFakeUpstream({ models: ['gpt-4o-mini', 'gpt-4o', 'text-embedding-3-small'] });
  const settings = {
    LOG_LEVEL: 'warn',
    HOST: '127.0.0.1',
    DATABASE_URL: `file:${path.join(folder, 'tidegate.db')}`,
    SHUTDOWN_GRACE: '1',
    // One address opens every screen many times over.
    GLOBAL_API_RATE_LIMIT_ENABLE: 'false',
    ...env,
  };
  let child: ChildProcess | undefined;
  let url = '';

  const start = async (port: string) => {
    child = spawn(process.execPath, ['server/main.ts'], {
      cwd: root,
      env: { ...process.env, ...settings, PORT: port },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    url = await addressOf(child);
  };
  const stop = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  };
  const close = async () => {
    await stop();
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
  };

  await start('0');
  return {
    get url() {
      return url;
    },
    upstream,
    stop,
    restart: async () => {
      await stop();
      await start(new URL(url).port);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The address in the line that the server greets with. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) throw new Error('The server has no output');
    createInterface({ input: child.stdout }).on('line', (line) => {
      const address = /Tidegate is at (http:\S+)\//.exec(line)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', (code) => reject(new Error(`The server ended with ${code} before it was ready`)));
  });
}
