// Writes of session records for rows of calls. A record has the last row's number per process, so that repeated writes,
// here or while a dead process's books are settled, have no effect.
import { hash } from 'node:crypto';
import { type Filter, onField, type Patch } from '#server/db/collection.ts';
import type { Write } from '#server/db/database.ts';
import type { CallSessionRecord } from '#server/db/records/call-session.ts';
import type { LogRecord } from '#server/db/records/log.ts';

/** Session data of a row; empty in the bare row of a call whose full row was rejected. */
interface ReportedSession {
  id: string;
  client: string;
}

/** Rows of one session and one process, in the order of their numbers. */
export interface SessionRows {
  id: string;
  process: string;
  rows: readonly LogRecord[];
}

/** Maximum model names in a record; each process counts those it adds. */
export const mostModels = 16;

/**
 * Id of a session's record; includes the key, because the same client id under another key is another session. 132 bits
 * of the digest distinguish sessions of a key.
 */
export function sessionKey(userId: number, tokenId: number, session: string): string {
  return `${userId}.${tokenId}.${hash('sha256', session, 'base64url').slice(0, 22)}`;
}

export function bySession(rows: readonly LogRecord[]): SessionRows[] {
  const found = new Map<string, { id: string; process: string; rows: LogRecord[] }>();
  for (const row of rows) {
    const { session_key: id, process } = row;
    if (id === undefined || process === undefined) continue;
    const key = `${id} ${process}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, { id, process, rows: [row] });
    else known.rows.push(row);
  }
  return [...found.values()];
}

/** Inserts an empty record, unless there is one. */
export function newSession({ id, rows }: SessionRows): Write {
  const [row] = rows;
  if (row === undefined) throw new Error('A session has no rows');
  const insert: CallSessionRecord = {
    id,
    user_id: row.user_id,
    username: row.username,
    token_id: row.token_id,
    token_name: row.token_name,
    session: reportedSession(row).id,
    client: reportedSession(row).client,
    models: {},
    applied: {},
    first_at: row.created_at,
    last_at: 0,
    seen_at: row.created_at,
    calls: 0,
    errors: 0,
    quota: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    cache_tokens: 0,
    hidden_quota: 0,
  };
  return { insert, into: 'call_sessions', ignoreConflict: true };
}

/** Adds the rows, unless they are included. `models`: names that may be missing. */
export function addToSession(
  { id, process, rows }: SessionRows,
  { where, models }: { where: Filter<CallSessionRecord>; models: readonly string[] },
): Write {
  const listed = rows.filter((row) => row.hidden !== true);
  const sum = (of: readonly LogRecord[], value: (row: LogRecord) => number) => of.reduce((total, row) => total + value(row), 0);
  const last = rows.at(-1);
  const reported = last === undefined ? undefined : reportedSession(last);
  const patch: Patch<CallSessionRecord> = {
    set: {
      [`applied.${process}` as const]: lastSeq(rows),
      ...(listed.length > 0 ? { listed: 1 } : {}),
      ...(reported === undefined || reported.client === '' ? {} : { client: reported.client }),
      ...Object.fromEntries(models.map((name) => [`models.${modelKey(name)}` as const, name])),
    },
    max: {
      seen_at: Math.max(...rows.map((row) => row.created_at)),
      ...(listed.length > 0 ? { last_at: Math.max(...listed.map((row) => row.created_at)) } : {}),
    },
    increment: {
      calls: listed.length,
      errors: listed.filter((row) => row.failed === 1).length,
      quota: sum(listed, (row) => row.quota),
      prompt_tokens: sum(listed, (row) => row.prompt_tokens),
      completion_tokens: sum(listed, (row) => row.completion_tokens),
      cache_tokens: sum(listed, cachedTokens),
      hidden_quota: sum(rows, (row) => row.quota) - sum(listed, (row) => row.quota),
    },
  };
  return { of: 'call_sessions', where: { ...where, id }, patch, anyOrder: true };
}

/** Lowers the time of the session's first call: calls may end in another order than they began. */
export function beganAt({ id }: SessionRows, at: number): Write {
  return { of: 'call_sessions', where: { id, first_at: { gt: at } }, patch: { set: { first_at: at } }, anyOrder: true };
}

/** Matches if none of the rows is included: they are added together or not at all. */
export function lacksRows({ process, rows }: SessionRows): Filter<CallSessionRecord> {
  const applied = `applied.${process}` as const;
  const is = (condition: { exists: false } | { lt: number }) => onField<CallSessionRecord, typeof applied>(applied, condition);
  return { or: [is({ exists: false }), is({ lt: lastSeq(rows) })] };
}

export function lastSeq(rows: readonly LogRecord[]): number {
  return rows.reduce((last, { seq = 0 }) => Math.max(last, seq), 0);
}

export function modelsOf(rows: readonly LogRecord[]): string[] {
  return [...new Set(rows.filter((row) => row.hidden !== true).map((row) => row.model_name))];
}

/** Hashes names, because their dots would be path separators. */
function modelKey(name: string): string {
  return hash('sha256', name, 'hex').slice(0, 12);
}

function reportedSession({ other }: LogRecord): ReportedSession {
  const reported = other?.['session'];
  const { id, client } = { id: undefined, client: undefined, ...(typeof reported === 'object' ? reported : {}) };
  return { id: typeof id === 'string' ? id : '', client: typeof client === 'string' ? client : '' };
}

function cachedTokens({ other }: LogRecord): number {
  const tokens = other?.['cache_tokens'];
  return typeof tokens === 'number' ? tokens : 0;
}
