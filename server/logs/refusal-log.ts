// Logs refused calls with a known key: one row of the usage log per key, reason, model and minute, with a count.
// Counted in memory and written later, so that no caller waits and none can flood the log. Books, statistics and
// settlements ignore these rows.
import { LogType } from '#shared/logs.ts';
import type { RefusalFacts } from '#shared/refusal-facts.ts';
import type { AppContext } from '#server/context.ts';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import type { Write } from '#server/db/database.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { type RefusalCounter, RefusalCounters, type Refused } from './refusal-counters.ts';

export interface RefusalLog {
  note(refused: Refused): void;
  /** Writes the counts. Never rejects; failed writes are retried at the next flush. */
  flush(): Promise<void>;
  stop(): Promise<void>;
  /** Number of counters in memory. */
  readonly size: number;
}

type RefusalContext = Pick<AppContext, 'channels' | 'db' | 'log' | 'now' | 'settings'>;

/** First refusals are written soon, later ones of the minute together at its end. */
const flushMs = 2_000;
/** Time for which each refused request id can be looked up. */
const retentionSeconds = 30 * 86_400;

export function createRefusalLog({ channels, db, log, now, settings }: RefusalContext): RefusalLog {
  const counters = new RefusalCounters((model) => channels.groupsOf(model).length > 0);
  const timer = setInterval(() => void flush(), flushMs);
  timer.unref();
  let running: Promise<void> | null = null;

  async function write(counter: RefusalCounter): Promise<void> {
    const { count } = counter;
    const ids = [...counter.ids];
    const row = rowOf(counter, await db.nextId('logs'));
    const facts = { 'other.refusal.last_at': counter.lastAt, 'other.refusal.request_ids': ids };
    const request = { request_id: ids.at(-1) };
    const stored = (await db.collection('logs').first({ refusal_key: counter.key }))?.id;
    const writes: Write[] = stored === undefined ? [{ insert: row, into: 'logs', ignoreConflict: true }] : [];
    const increment = { 'other.refusal.count': count };
    writes.push({ patch: { increment, set: { ...facts, ...request } }, of: 'logs', where: { refusal_key: counter.key } });
    await db.write(writes);
    const log_id = stored ?? (await db.collection('logs').first({ refusal_key: counter.key }))?.id;
    if (log_id === undefined) throw new Error('The row is not there');
    await db.write(
      ids.map((id) => ({ insert: { id, log_id, created_at: counter.lastAt }, into: 'refused_requests', ignoreConflict: true })),
    );
    counter.count -= count;
    counter.isWritten = true;
  }

  async function writeDue(all: boolean): Promise<void> {
    for (const counter of counters.values()) {
      const isOver = all || counter.endsAt <= now();
      if (counter.count > 0 && (isOver || !counter.isWritten)) {
        try {
          await write(counter);
        } catch (failure) {
          // During a database outage, bounded counts are retained; other errors would repeat.
          if (failure instanceof DatabaseUnavailable) return;
          log.error({ err: failure, code: counter.reason.code }, 'a refused call could not be written to the log');
          counter.count = 0;
        }
      }
      if (isOver && counter.count === 0) counters.forget(counter);
      // Yields to calls.
      await new Promise(setImmediate);
    }
  }

  function flush(all = false): Promise<void> {
    running ??= writeDue(all).finally(() => {
      running = null;
    });
    return running;
  }

  return {
    note(refused) {
      if (!settings.get('LogConsumeEnabled') || refused.error.code === 'database_unavailable') return;
      counters.count(refused, now());
    },
    flush,
    async stop() {
      clearInterval(timer);
      await flush();
      await flush(true);
    },
    get size() {
      return counters.size;
    },
  };
}

/** Removes expired ids of refused calls; the newest are in the row. Run periodically. */
export async function sweepRefusedRequests({ db, now }: Pick<AppContext, 'db' | 'now'>): Promise<number> {
  return db.collection('refused_requests').remove({ created_at: { lt: Math.floor(now() / 1000) - retentionSeconds } });
}

/**
 * Removes ids that an earlier version stored without a time. Reads all ids, so it runs once a day, off the event loop.
 */
export async function sweepUndatedRefusals({ db }: Pick<AppContext, 'db'>): Promise<number> {
  const refused = db.collection('refused_requests');
  let count = 0;
  for await (const { id } of refused.each({ created_at: { exists: false } })) count += await refused.remove({ id });
  return count;
}

/** The row as first stored; each process adds its count afterwards. */
function rowOf({ key, user, token, model, isOthers, reason, firstAt, ids }: RefusalCounter, id: number): LogRecord {
  const refusal: RefusalFacts = {
    code: reason.code,
    status: reason.status,
    reason: reason.text,
    count: 0,
    last_at: firstAt,
    request_ids: [],
    ...(isOthers ? { is_others: true } : {}),
  };
  return {
    id,
    user_id: user.id,
    created_at: firstAt,
    type: LogType.refusal,
    plain_type: LogType.refusal,
    refusal_key: key,
    content: reason.text.zh,
    username: user.username,
    token_name: token.name,
    model_name: model,
    quota: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time: 0,
    is_stream: false,
    channel_id: 0,
    token_id: token.id,
    group: token.group === '' ? user.group : token.group,
    other: { refusal },
    request_id: ids.at(-1) ?? '',
  };
}
