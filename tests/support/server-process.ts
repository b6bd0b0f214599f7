// Real server processes, as `npm start` runs them, for what one process cannot show: kills, signals, several on one database.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

const server = path.resolve(import.meta.dirname, '../../server');

/** Under which seeds and servers of a test read each other's secrets. */
export const testSecret = 'the secret of all test servers';

/** Nothing of the environment but where programs are, and what Node has compiled before: a server starts in half the time. */
export const bareEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  ['PATH', 'NODE_COMPILE_CACHE'].flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
);

export interface ServerProcess {
  readonly origin: string;
  readonly pid: number;
  /** Resolves with the exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>;
  kill(signal: NodeJS.Signals): Promise<number | string>;
  /** Bytes of memory. */
  memory(): number;
  /** Everything that it has printed. */
  output(): string;
}

/** Process ids of a server's workers. */
export const workersOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((text) => text.trim() !== '')
    .map(Number);

/** Starts a server on a free port; resolves when it serves. @throws {Error} with what it printed when it does not */
export function startServer(env: Record<string, string>): Promise<ServerProcess> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', path.join(server, 'main.ts')], {
    env: {
      ...bareEnvironment,
      SESSION_SECRET: testSecret,
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'warn',
      GLOBAL_API_RATE_LIMIT_ENABLE: 'false',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const ended = new Promise<number | string>((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal ?? -1)));
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        const origin = /^Tidegate is at (http:\/\/[^/]+)\//.exec(line)?.[1];
        if (origin !== undefined) resolve(handle(child, { origin, ended, lines }));
      });
    }
    void ended.then((code) => reject(new Error(`The server ended with ${code}:\n${lines.join('\n')}`)));
  });
}

function handle(
  child: ChildProcess,
  { origin, ended, lines }: { origin: string; ended: Promise<number | string>; lines: string[] },
): ServerProcess {
  return {
    origin,
    pid: child.pid ?? 0,
    ended,
    kill(signal) {
      child.kill(signal);
      return ended;
    },
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024,
    output: () => lines.join('\n'),
  };
}

/** `npm run audit` on that database. */
export function runAudit(databaseUrl: string): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', path.join(server, 'audit.ts')],
      { env: { ...bareEnvironment, DATABASE_URL: databaseUrl } },
      (failure, stdout, stderr) => resolve({ code: failure === null ? 0 : Number(failure.code ?? -1), output: `${stdout}${stderr}` }),
    );
  });
}
