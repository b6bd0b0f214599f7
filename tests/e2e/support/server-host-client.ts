// Requests servers from the process of `server-host.ts`; each process that runs tests has one.
import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import type { RunningServer } from './server-process.ts';

/** With `env` a server begins under this number, without it ends. */
export interface HostOrder {
  id: number;
  server: number;
  env?: Record<string, string>;
}

export interface HostAnswer {
  id: number;
  port?: number;
  failure?: string;
}

const place = path.join(import.meta.dirname, 'server-host.ts');
const root = path.resolve(import.meta.dirname, '../../..');
let host: ChildProcess | undefined;
let last = 0;

export async function startInHost(env: Record<string, string>): Promise<RunningServer> {
  last += 1;
  const server = last;
  const { port } = await ask({ server, env });
  return { url: `http://127.0.0.1:${port}`, stop: async () => void (await ask({ server })) };
}

async function ask(order: Omit<HostOrder, 'id'>): Promise<HostAnswer> {
  const requested = runningHost();
  last += 1;
  const id = last;
  const answer = await new Promise<HostAnswer>((resolve, reject) => {
    const ended = (code: number | null) => {
      requested.off('message', received);
      reject(new Error(`The process of the servers ended with ${code}`));
    };
    const received = (message: HostAnswer) => {
      if (message.id !== id) return;
      requested.off('message', received);
      requested.off('exit', ended);
      resolve(message);
    };
    requested.on('message', received);
    requested.once('exit', ended);
    requested.send({ ...order, id });
  });
  if (answer.failure !== undefined) throw new Error(answer.failure);
  return answer;
}

function runningHost(): ChildProcess {
  if (host === undefined || !host.connected) {
    host = fork(place, { cwd: root, execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    host.setMaxListeners(0);
    // It ends with this process, and does not hold it open.
    host.unref();
    host.channel?.unref();
  }
  return host;
}
