// Child processes of a benchmark: ready when they print their port.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { LoadOptions, LoadResult } from '#tests/bench/load.ts';
import { compileTools, pinned } from '#tests/bench/native-tools.ts';

const folder = import.meta.dirname;
const scratch = mkdtempSync(path.join(tmpdir(), 'tidegate-bench-tools-'));
const tools = compileTools(scratch);

/** Whether load and upstream are the compiled ones. */
export const isNative = tools !== null;

export interface Started {
  port: number;
  child: ChildProcess;
  /** Resident memory in bytes. */
  memory(): number;
  /** CPU time of all threads so far, in microseconds. */
  cpu(): number;
  stop(): Promise<void>;
}

/** Starts a file of this folder that prints `{"port":…}` once it listens, on this Node or another. */
export async function start(file: string, env: Record<string, string> = {}, node = process.execPath): Promise<Started> {
  return started(...pinned(0, node, ['--disable-warning=ExperimentalWarning', path.join(folder, file)]), env);
}

export async function startUpstream(): Promise<Started> {
  const args = ['--disable-warning=ExperimentalWarning', path.join(folder, 'mock-upstream.ts')];
  return tools === null ? started(...pinned(1, process.execPath, args), {}) : started(...pinned(1, tools.mock, []), {});
}

async function started(command: string, args: readonly string[], env: Record<string, string>): Promise<Started> {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  const { port } = JSON.parse(await firstLine(child)) as { port: number };
  return handle(child, port);
}

/** Starts Tidegate itself on a free port, on a core of its own unless `isPinned` is false. */
export async function startServer(env: Record<string, string>, port: number, { isPinned = true } = {}): Promise<Started> {
  const main = path.join(folder, '../../server/main.ts');
  const [command, args] = isPinned ? pinned(0, process.execPath, [main]) : [process.execPath, [main]];
  const child = spawn(command, args, {
    env: { ...process.env, LOG_LEVEL: 'error', PORT: String(port), HOST: '127.0.0.1', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await firstLine(child);
  return handle(child, port);
}

/** Runs the load generator to its end. */
export async function load(options: LoadOptions): Promise<LoadResult> {
  if (tools !== null) return nativeLoad(tools.load, options);
  const [command, args] = pinned(1, process.execPath, [path.join(folder, 'load.ts'), JSON.stringify(options)]);
  return JSON.parse(await firstLine(spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] }))) as LoadResult;
}

async function nativeLoad(file: string, options: LoadOptions): Promise<LoadResult> {
  const { port, connections, seconds, warmupSeconds = 1, key = 'sk-bench', path: requestPath = '/v1/chat/completions' } = options;
  const bodyFile = path.join(scratch, 'body.json');
  writeFileSync(bodyFile, bodyOf(options));
  const numbers = ['-p', port, '-c', connections, '-d', seconds, '-w', warmupSeconds].map(String);
  const args = [...numbers, '-P', requestPath, '-b', bodyFile, '-H', `Authorization: Bearer ${key}`];
  const child = spawn(...pinned(1, file, args), { stdio: ['ignore', 'pipe', 'inherit'] });
  const result = JSON.parse(await firstLine(child)) as LoadResult;
  return { ...result, p50: result.p50 / 1000, p99: result.p99 / 1000 };
}

/** The request's body, in the format of its path. */
function bodyOf({ model = 'mock', stream = false, path: requestPath = '' }: LoadOptions): string {
  const content = 'Tell me something about the tides, in two sentences please.';
  // Model and stream stand in the path.
  if (requestPath.includes(':')) return JSON.stringify({ contents: [{ role: 'user', parts: [{ text: content }] }] });
  const streamed = stream ? { stream: true } : {};
  if (requestPath === '/v1/responses') return JSON.stringify({ model, input: content, store: false, ...streamed });
  const limited = requestPath === '/v1/messages' ? { max_tokens: 500 } : {};
  return JSON.stringify({ model, messages: [{ role: 'user', content }], ...limited, ...streamed });
}

function handle(child: ChildProcess, port: number): Started {
  return {
    port,
    child,
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024,
    cpu: () => {
      const tasks = `/proc/${child.pid}/task`;
      const times = readdirSync(tasks).map((id) => Number(readFileSync(`${tasks}/${id}/schedstat`, 'utf8').split(' ')[0]));
      return times.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1000;
    },
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
