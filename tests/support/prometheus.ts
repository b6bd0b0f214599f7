// Prometheus and its promtool (Debian: `apt install prometheus`), where a machine has them. CI must have them.
import { execFileSync, spawn } from 'node:child_process';
import path from 'node:path';
import { accessSync, constants } from 'node:fs';

const isThere = (name: string) =>
  (process.env['PATH'] ?? '').split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/** Whether tests that need it run. In CI they do, and fail without it. */
export const hasPrometheus = process.env['CI'] === 'true' || (isThere('promtool') && isThere('prometheus'));

/** Runs promtool. @throws {Error} with what it finds wrong */
export function promtool(args: readonly string[], input = ''): string {
  return execFileSync('promtool', args, { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
}

export interface RunningPrometheus extends AsyncDisposable {
  /** Returns the values of an instant query. */
  query(expression: string): Promise<number[]>;
}

/** @param folder for its configuration and data */
export function startPrometheus(folder: string, config: string, port: number): RunningPrometheus {
  const child = spawn(
    'prometheus',
    [`--config.file=${config}`, `--storage.tsdb.path=${path.join(folder, 'tsdb')}`, `--web.listen-address=127.0.0.1:${port}`],
    { stdio: 'ignore' },
  );
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  return {
    async query(expression) {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`).catch(() => null);
      if (response?.ok !== true) return [];
      const { data } = (await response.json()) as { data: { result: { value: [number, string] }[] } };
      return data.result.map(({ value: [, value] }) => Number(value));
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
