// A usage log as a busy installation has it after a month: few that call much, many that call little, some that sell on.
import type { Database } from '#server/db/database.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { userRecord } from '#tests/contract/records.ts';
import { buildLog } from '#tests/support/build-log.ts';

const users = 2_000;
const days = 30;
const models = Array.from({ length: 25 }, (_, index) => (index === 24 ? 'rare-model' : `${index < 12 ? 'gpt' : 'claude'}-${index}`));
const channels = 12;
const groups = ['default', 'vip', 'team', 'rare-group'];
const batchRows = 5_000;

/** The newest row is of `end` (unix seconds). */
export async function seedLogs(db: Database, rows: number, end: number): Promise<void> {
  const random = generator(7);
  for (let id = 1; id <= users; id += 1) await db.collection('users').insert(userRecord({ id }));
  const step = (days * 86_400) / rows;
  for (let from = 0; from < rows; from += batchRows) {
    const batch: LogRecord[] = [];
    const ids = await db.nextIds('logs', Math.min(batchRows, rows - from));
    for (const [index, id] of ids.entries()) batch.push(rowOf(id, Math.floor(end - (rows - 1 - from - index) * step), random));
    await db.write(batch.map((insert) => ({ insert, into: 'logs' as const, ignoreConflict: true })));
  }
}

function rowOf(id: number, at: number, random: () => number): LogRecord {
  // User 1 sells on: a third of all calls, by a thousand tokens. The others fall off by a power law.
  const user = random() < 0.33 ? 1 : 2 + Math.floor((users - 1) * random() ** 3);
  const token = user === 1 ? Math.floor(1_000 * random()) : Math.floor(3 * random());
  const model = random() < 0.0002 ? 24 : Math.floor(24 * random() ** 2);
  const group = random() < 0.0005 ? 3 : user % 10 === 0 ? 1 : user % 7 === 0 ? 2 : 0;
  const hasFailed = random() < 0.03;
  const millis = Math.round(500 + 20_000 * random() ** 2);
  const channel = 1 + ((model + Math.floor(3 * random())) % channels);
  return buildLog({
    id,
    user_id: user,
    username: `user${user}`,
    created_at: at,
    token_id: user * 1_000 + token,
    token_name: user !== 1 && token === 0 ? 'default' : `token-${user}-${token}`,
    model_name: models[model] ?? '',
    channel_id: channel,
    group: groups[group] ?? '',
    quota: hasFailed ? 0 : 1 + Math.floor(4_000 * random()),
    prompt_tokens: hasFailed ? 0 : Math.floor(3_000 * random()),
    completion_tokens: hasFailed ? 0 : Math.floor(900 * random()),
    use_time: Math.round(millis / 1000),
    is_stream: random() < 0.6,
    request_id: `20260101000000${id}bench`,
    process: 'pBench',
    seq: id,
    token_quota: 0,
    other: {
      model_ratio: 1.25,
      completion_ratio: 8,
      cache_ratio: 0.5,
      model_price: -1,
      group_ratio: 1,
      quota_per_unit: 500_000,
      cache_tokens: 0,
      duration_ms: millis,
      frt: Math.round(millis / 4),
      prompt_source: 'upstream',
      completion_source: 'upstream',
      attempts: [{ channel, channel_name: `channel ${channel}`, status: hasFailed ? 502 : 200, start_ms: 1.2, end_ms: millis }],
      admin_info: { use_channel: [String(channel)] },
      ...(hasFailed ? { ending: 'upstream_error', problem: 'The server is overloaded' } : {}),
    },
  });
}

/** The same numbers in every run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
