// Measures the heap of a server process after a garbage collection, by Node's inspector, so that the process is the released one.
// https://chromedevtools.github.io/devtools-protocol/v8/HeapProfiler/
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { ServerProcess } from '#tests/support/server-process.ts';

/** Environment of the server to be measured. */
export const inspected = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** Bytes. */
export interface HeldMemory {
  heap: number;
  /** Buffers, which are outside of it. */
  external: number;
  rss: number;
  /** Of that: pages of files, as those of an embedded database, which the system takes back when it needs them. */
  files: number;
}

export interface MemoryAsker extends Disposable {
  /** After a collection. */
  read(): Promise<HeldMemory>;
}

export async function askMemory(server: ServerProcess): Promise<MemoryAsker> {
  const address = /Debugger listening on (ws:\S+)/.exec(server.output())?.[1];
  if (address === undefined) throw new Error('The server was not started to be inspected');
  const socket = new WebSocket(address, { perMessageDeflate: false });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  let count = 0;
  const call = (method: string, params: object = {}): Promise<Record<string, unknown>> => {
    count += 1;
    const id = count;
    return new Promise((resolve) => {
      const hear = (data: Buffer) => {
        const reported = JSON.parse(data.toString('utf8'));
        if (reported.id !== id) return;
        socket.off('message', hear);
        resolve(reported.result);
      };
      socket.on('message', hear);
      socket.send(JSON.stringify({ id, method, params }));
    });
  };
  return {
    async read() {
      await call('HeapProfiler.collectGarbage');
      await sleep(1_000);
      await call('HeapProfiler.collectGarbage');
      const { result } = await call('Runtime.evaluate', { expression: 'JSON.stringify(process.memoryUsage())', returnByValue: true });
      const { value } = result as { value: string };
      const { heapUsed, external, rss } = JSON.parse(value) as { heapUsed: number; external: number; rss: number };
      const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
      const files = Number(/RssFile:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
      return { heap: heapUsed, external, rss, files };
    },
    [Symbol.dispose]: () => socket.terminate(),
  };
}
