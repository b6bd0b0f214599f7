// Finds servers that use a database, before it is copied or replaced.
import { setTimeout as sleep } from 'node:timers/promises';
import type { CopyState } from '#server/db/rows/rows.ts';
import type { ProcessRecord } from '#server/db/records/process.ts';
import { openSource } from '#server/db/rows/open-rows.ts';
import { isRunning } from '#server/money/recovery/failure-detector.ts';
import { thisHost } from '#server/money/recovery/server-process.ts';
import { TransferRefusal } from '#server/transfer/refusal.ts';

/** Servers write a heartbeat every two seconds, by another clock: two of them are awaited. */
const watchMs = 5_000;
const pollMs = 250;

export interface RunningServer {
  host: string;
  pid: number;
}

/**
 * Returns a server whose heartbeat advances; null after some seconds if there is none. Processes of this machine that have
 * ended need no wait.
 * @param read returns the records of all processes that have not ended in order
 */
export async function findRunningServer(
  read: () => Promise<Pick<ProcessRecord, 'id' | 'host' | 'pid' | 'heartbeat_at'>[]>,
): Promise<RunningServer | null> {
  const beats = new Map<string, number>();
  const deadline = performance.now() + watchMs;
  for (;;) {
    const rows = (await read()).filter(({ host, pid, heartbeat_at: beat }) => beat !== 0 && (host !== thisHost || isRunning(pid)));
    for (const row of rows) {
      const before = beats.get(row.id);
      if (before !== undefined && before !== row.heartbeat_at) return { host: row.host, pid: row.pid };
      beats.set(row.id, row.heartbeat_at);
    }
    if (rows.length === 0 || performance.now() > deadline) return null;
    await sleep(pollMs);
  }
}

/**
 * @param url as DATABASE_URL
 * @throws {TransferRefusal} if a server uses the database
 */
export async function refuseRunningServers(url: string, role: string): Promise<void> {
  const server = await findRunningServer(() => readProcesses(url));
  if (server === null) return;
  const [name] = server.host.split('/');
  throw new TransferRefusal(`A server uses the ${role} (process ${server.pid} on ${name}): stop it first`);
}

/** Time after its last write for which a copy by a process of another machine counts as running. */
const writerMs = 60_000;

/** Reports whether another process makes this copy. */
export function isWriting({ writer, written_at: at }: CopyState, now: number): boolean {
  if (writer.host === thisHost) return writer.pid !== process.pid && isRunning(writer.pid);
  return Math.abs(now - at) < writerMs;
}

async function readProcesses(url: string): Promise<ProcessRecord[]> {
  // A new source each time: one sees the moment at which it was opened.
  const source = await openSource(url, { wantsSnapshot: false });
  try {
    const found: ProcessRecord[] = [];
    for await (const page of source.pages('processes')) {
      for (const { doc } of page) {
        const row: ProcessRecord = JSON.parse(doc);
        if (row.state !== 'settled') found.push(row);
      }
    }
    return found;
  } finally {
    await source.close();
  }
}
