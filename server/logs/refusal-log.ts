// Calls with a known key that were refused: one row of the usage log per key, reason, model and minute, with how many there were. They
// are counted in memory and written behind, so that no caller waits and none can fill the log. They are no calls: nothing
// was used, and the books, statistics and settlements do not look at them.
import { LogType } from '#shared/logs.ts';
import type { RefusalFacts } from '#shared/refusal-facts.ts';
import type { AppContext } from '#server/context.ts';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import type { Write } from '#server/db/database.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { RefusalCounters } from './refusal-counters.ts';
import type { RefusalCounter, Refused } from './refusal-counters.ts';

export interface RefusalLog {
  note(refused: Refused): void;
  /** Writes what was counted. Never rejects: what could not be stored is kept for the next time. */
  flush(): Promise<void>;
  stop(): Promise<void>;
  /** What is counted and not forgotten yet. */
  readonly size: number;
}

type RefusalContext = Pick<AppContext, 'channels' | 'db' | 'log' | 'now' | 'settings'>;

/** A first refusal is seen soon; the further ones of its minute together at the end of it. */
const flushMs = 2_000;
/** How long every refused call is found by its id. */
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
          // Without its database a server keeps what it has, within bounds; anything else would fail again.
          if (failure instanceof DatabaseUnavailable) return;
          log.error({ err: failure, code: counter.reason.code }, 'a refused call could not be written to the log');
          counter.count = 0;
        }
      }
      if (isOver && counter.count === 0) counters.forget(counter);
      // Calls come first.
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

/** Removes the ids of refused calls that nobody asks for any more; the newest of a row is in the row. Run from time to time. */
export async function sweepRefusedRequests({ db, now }: Pick<AppContext, 'db' | 'now'>): Promise<number> {
  return db.collection('refused_requests').remove({ created_at: { lt: Math.floor(now() / 1000) - retentionSeconds } });
}

/** Removes those that an earlier version stored without a time. It reads all ids, so it runs once a day, beside the event loop. */
export async function sweepUndatedRefusals({ db }: Pick<AppContext, 'db'>): Promise<number> {
  const refused = db.collection('refused_requests');
  let count = 0;
  for await (const { id } of refused.each({ created_at: { exists: false } })) count += await refused.remove({ id });
  return count;
}

/** As it is first stored; the count is added afterwards, by every process its own. */
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
