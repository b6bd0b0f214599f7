// Calls of the last days, written straight into the database of a running server, and summed by the hour.
import { pino } from 'pino';
import { foldLog } from '#server/logs/fold-log.ts';
import { openDatabase } from '#server/db/open.ts';
import { buildLog } from '#tests/support/build-log.ts';

const models = ['claude-3-5-sonnet', 'gpt-4o', 'o3-mini', 'deepseek-chat', 'gpt-4o-mini', 'text-embedding-3-small', 'gemini-2.0-flash'];

/** `count` calls of that user over so many days up to now, the newest first in cost. Returns what they cost. */
export async function seedCalls(
  url: string,
  { userId, username, count, days }: { userId: number; username: string; count: number; days: number },
) {
  const db = await openDatabase(url);
  const now = Math.floor(Date.now() / 1000);
  let quota = 0;
  try {
    const ids = await db.nextIds('logs', count);
    const rows = ids.map((id, index) => {
      const at = now - 30 - Math.floor((index * days * 86_400) / count);
      const hasFailed = index % 37 === 5;
      const cost = hasFailed ? 0 : 1_000 + ((index * 7919) % 90_000);
      quota += cost;
      return buildLog({
        id,
        user_id: userId,
        username,
        created_at: at,
        token_name: index % 3 === 0 ? 'prod-chat' : 'batch-eval',
        token_id: 1,
        model_name: models[Math.floor((models.length * ((index * 31) % 97) ** 2) / 97 ** 2)] ?? '',
        channel_id: 1 + (index % 2),
        quota: cost,
        prompt_tokens: 400 + (index % 900),
        completion_tokens: 100 + (index % 300),
        use_time: 2,
        ...(hasFailed ? { failed: 1 as const } : {}),
        other: { duration_ms: 900 + ((index * 13) % 4000), frt: 250 + (index % 400), ...(hasFailed ? { ending: 'upstream_error' } : {}) },
      });
    });
    for (let start = 0; start < rows.length; start += 500) {
      await db.write(rows.slice(start, start + 500).map((insert) => ({ insert, into: 'logs' as const })));
    }
    // As the job does, without waiting for it; its first run may have been before there was anything.
    await db.collection('log_folds').remove({ id: 'head' });
    await foldLog({ db, now: Date.now, log: pino({ level: 'silent' }) });
  } finally {
    await db.close();
  }
  return { quota };
}
