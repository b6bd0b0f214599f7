// What a log row says beyond its columns, read once per row.
import { type Attempt, type Log, LogOther, LogType } from './logs.ts';

const parsed = new WeakMap<Log, LogOther | null>();

/** The row's `other`; null when it has none that can be read. */
export function otherOf(log: Log): LogOther | null {
  const known = parsed.get(log);
  if (known !== undefined) return known;
  const other = parseOther(log.other);
  parsed.set(log, other);
  return other;
}

/** Its row reads as a call: what was used, and what it costs. A test of a channel does, too. */
export function isCall(log: Log): boolean {
  return log.type === LogType.consumption || log.type === LogType.test;
}

export interface Try {
  attempt: Attempt;
  hasFailed: boolean;
}

/** What opens a socket, whose turns follow on the same channel. */
const opened = 101;

/** The tries of a call in order. One that was followed by another has failed, whatever its status says, but for the opening of a socket. */
export function attemptsOf(log: Log): Try[] {
  const attempts = otherOf(log)?.attempts ?? [];
  const broughtResponse = log.prompt_tokens + log.completion_tokens > 0;
  return attempts.map((attempt, index) => ({
    attempt,
    hasFailed:
      attempt.status === opened
        ? attempt.error !== undefined
        : index < attempts.length - 1 || attempt.status < 200 || attempt.status >= 300 || (attempt.error !== undefined && !broughtResponse),
  }));
}

function parseOther(text: string): LogOther | null {
  if (text === '') return null;
  try {
    const read = LogOther.safeParse(JSON.parse(text));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}
