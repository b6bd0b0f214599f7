// Child processes of a benchmark: ready when they print their port.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { LoadOptions, LoadResult } from '#tests/bench/load.ts';

const folder = import.meta.dirname;

export interface Started {
  port: number;
  child: ChildProcess;
  /** Resident memory in bytes. */
  memory(): number;
  stop(): Promise<void>;
}

/** Starts a file of this folder that prints `{"port":…}` once it listens, on this Node or another. */
export async function start(file: string, env: Record<string, string> = {}, node = process.execPath): Promise<Started> {
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', path.join(folder, file)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await firstLine(child);
  const { port } = JSON.parse(line) as { port: number };
  return handle(child, port);
}

/** Starts Tidegate itself on a free port. */
export async function startServer(env: Record<string, string>, port: number): Promise<Started> {
  const child = spawn(process.execPath, [path.join(folder, '../../server/main.ts')], {
    env: { ...process.env, LOG_LEVEL: 'error', PORT: String(port), HOST: '127.0.0.1', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await firstLine(child);
  return handle(child, port);
}

/** Runs the load generator to its end. */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const child = spawn(process.execPath, [path.join(folder, 'load.ts'), JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse(await firstLine(child)) as LoadResult;
}

function handle(child: ChildProcess, port: number): Started {
  return {
    port,
    child,
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) throw new Error('The process has no output');
    const lines = createInterface({ input: child.stdout });
    lines.once('line', resolve);
    child.once('exit', (code) => reject(new Error(`A process of the benchmark ended with ${code}`)));
  });
}
