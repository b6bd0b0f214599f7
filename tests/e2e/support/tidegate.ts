// A real server for browser tests: a fresh database, the built console, and a provider behind it.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type FakeUpstream, startFakeUpstream } from '#tests/support/fake-upstream.ts';
import { startInHost } from './server-host-client.ts';
import { type RunningServer, startProcess } from './server-process.ts';

const root = path.resolve(import.meta.dirname, '../../..');

export interface Tidegate extends AsyncDisposable {
  url: string;
  upstream: FakeUpstream;
  /** Ends the server; the database stays. */
  stop(): Promise<void>;
  /** Restarts it on the same port and database. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface TidegateOptions {
  env?: Record<string, string>;
  /** A process of its own, for what a process has: its start, its end, what Node reads from the environment. Others share one, which takes a tenth of the time. */
  isOwnProcess?: boolean;
}

export async function startTidegate({ env = {}, isOwnProcess = false }: TidegateOptions = {}): Promise<Tidegate> {
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
  let server: RunningServer | undefined;
  let url = '';

  const start = async (port: string) => {
    server = await (isOwnProcess ? startProcess : startInHost)({ ...settings, PORT: port });
    url = server.url;
  };
  const stop = async () => {
    await server?.stop();
    server = undefined;
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
