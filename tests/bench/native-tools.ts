// Load generator and upstream in C: Node's own would be the limit before a bare proxy is, which flatters the slower gateway.
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import path from 'node:path';

export interface NativeTools {
  load: string;
  mock: string;
}

/** Compiles both into `folder`; null where there is no C compiler or the system is not Linux. */
export function compileTools(folder: string): NativeTools | null {
  const tools = { load: path.join(folder, 'load'), mock: path.join(folder, 'mock') };
  for (const name of ['load', 'mock'] as const) {
    const source = path.join(import.meta.dirname, 'native', `${name}.c`);
    if (spawnSync('cc', ['-O2', '-o', tools[name], source, '-lm'], { stdio: 'ignore' }).status !== 0) return null;
  }
  return tools;
}

const canPin = availableParallelism() > 1 && spawnSync('taskset', ['-c', '0', 'true'], { stdio: 'ignore' }).status === 0;

/** What is measured has a core of its own; load and upstream share the next one. */
export const isPinned = canPin;

/** The command on the core of what is measured (0), or of what measures (1). */
export function pinned(core: 0 | 1, command: string, args: readonly string[]): [command: string, args: string[]] {
  return canPin ? ['taskset', ['-c', String(core), command, ...args]] : [command, [...args]];
}
