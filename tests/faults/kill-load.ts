// Load while servers are killed: one kind of caller, which repeats requests and records the responses.
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningContext } from '#server/create-context.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { ServerProcess } from '#tests/support/server-process.ts';

/** A call whose caller has all of its answer. */
export interface AnsweredCall {
  requestId: string;
  /** Usage that the response reported; missing: none. */
  reported?: { promptTokens: number; completionTokens: number };
}

export interface Requesting {
  server: ServerProcess;
  key: string;
  caller: number;
  turn: number;
  isRunning(): boolean;
  /** Whichever process is there; null: none is. */
  current(): ServerProcess | null;
  answered(call: AnsweredCall): void;
}

export interface KillLoad {
  /** One call, or all of one connection. @throws {Error} when it was cut off */
  ask(requesting: Requesting): Promise<void>;
  /** How many were answered, by what they are; a kind of which none was yet is 0. */
  readonly figures: Readonly<Record<string, number>>;
  /** When nothing runs any more. @param rows of calls, by their request */
  check(context: RunningContext, rows: ReadonlyMap<string, readonly LogRecord[]>): Promise<void> | void;
}

/** What may be said while accounts run dry and servers come and go. */
const expected = /quota|key_exhausted|database_unavailable|shutting_down/;
/** Pause before a retry after a lost connection. */
const pauseMs = 20;

/** @returns false when it was refused, which is a problem unless it had to be */
export function wasTaken(problems: string[], what: string, { status, text }: { status: number; text: string }): boolean {
  if (status === 200) return true;
  if (!expected.test(text)) problems.push(`${what} answered ${status}: ${text}`);
  return false;
}

/** Sends requests until stopped. @param serverOf the process for that turn; null: it is down */
export async function keepRequesting(
  load: KillLoad,
  requesting: Omit<Requesting, 'server' | 'turn'>,
  { serverOf, cut }: { serverOf(turn: number): ServerProcess | null; cut(): void },
): Promise<void> {
  for (let turn = 0; requesting.isRunning(); turn += 1) {
    const server = serverOf(turn);
    try {
      if (server === null) await sleep(pauseMs);
      else await load.ask({ ...requesting, server, turn });
    } catch {
      cut();
      await sleep(pauseMs);
    }
  }
}

/** Sends JSON. @throws {Error} when the connection ends before its time */
export async function postJson(
  url: string,
  body: object,
  headers: Record<string, string>,
): Promise<{ status: number; text: string; requestId: string }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const requestId = response.headers.get('x-oneapi-request-id') ?? '';
  return { status: response.status, text: await response.text(), requestId };
}
