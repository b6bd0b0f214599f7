// Time and memory of an import of a large new-api database by the command, as an operator runs it. Part of `npm run bench -- imports`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeImportSource } from '#tests/bench/import-source.ts';

const sampleMs = 1_000;
const print = (line: string) => void process.stdout.write(`${line}\n`);
const megabytes = (bytes: number) => Math.round(bytes / 1_000_000);

/** @returns the exit code of the import: 0 if everything is equal */
export async function benchImport(users = 100_000, logs = 5_000_000): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidegate-import-bench-'));
  const [source, target] = [path.join(folder, 'new-api.db'), path.join(folder, 'tidegate.db')];
  try {
    writeImportSource(source, { users, logs, end: Math.floor(Date.now() / 1000) });
    print(`source: ${users} users, ${logs} rows of the log, ${megabytes(statSync(source).size)} MB`);
    const start = performance.now();
    const child = spawn(process.execPath, ['server/import.ts', '--from', source, '--log-days', '400', '--without-backup'], {
      env: { ...process.env, DATABASE_URL: `file:${target}` },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    let most = 0;
    const timer = setInterval(() => {
      most = Math.max(most, residentBytes(child.pid ?? 0));
    }, sampleMs);
    await once(child, 'exit');
    clearInterval(timer);
    const seconds = (performance.now() - start) / 1000;
    print(
      `dry run, import and proof: ${seconds.toFixed(0)} s, ${Math.round((users + logs) / seconds)} rows a second; memory at most ${megabytes(most)} MB; target ${megabytes(statSync(target).size)} MB`,
    );
    return child.exitCode ?? 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Linux only; 0 elsewhere. */
function residentBytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
