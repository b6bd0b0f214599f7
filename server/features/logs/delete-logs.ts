import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '#shared/errors.ts';
import { LogType } from '#shared/logs.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { deleteBefore } from '#server/logs/delete-old-logs.ts';
import { writeLog } from '#server/logs/write-log.ts';

/** The caller waits for so long; what is left then goes soon after. */
const waitMs = 20_000;
/** Calls that ended a moment ago are settled within this. */
const settledMs = 5_000;
const retryMs = 250;

/** @throws {AppError} `target_timestamp_required` */
export async function deleteLogs(
  context: AppContext,
  { target_timestamp: target = 0 }: { target_timestamp?: number | undefined },
  actor: Pick<UserRecord, 'id' | 'username'>,
): Promise<number> {
  if (target === 0) throw new AppError('target_timestamp_required');
  // Rows written from now on are not part of the request.
  const before = Math.min(target, Math.floor(context.now() / 1000) + 1);
  const startedAt = performance.now();
  const passed = () => performance.now() - startedAt;
  let count = 0;
  for (;;) {
    const closed = await deleteBefore(context, before, waitMs - passed());
    count += closed.count;
    if (closed.isDone || passed() > waitMs || (closed.count === 0 && passed() > settledMs)) {
      if (!closed.isDone) count += await left(context, before);
      break;
    }
    await sleep(retryMs);
  }
  await writeLog(context, {
    user_id: actor.id,
    username: actor.username,
    type: LogType.management,
    content: `删除了 ${new Date(before * 1000).toISOString()} 之前的日志，共 ${count} 条`,
    event: { code: 'logs_deleted', count, before },
  });
  return count;
}

async function left({ db }: AppContext, before: number): Promise<number> {
  const [sums] = await db.collection('logs').group({ filter: { created_at: { lt: before } }, by: [] });
  return sums?.count ?? 0;
}
