// Sessions of agents over the last hours, with their calls, written straight into the database of a running server.
import { pino } from 'pino';
import type { LogRecord } from '#server/db/records/log.ts';
import { openDatabase } from '#server/db/open.ts';
import { SessionSums } from '#server/money/settlement/session-sums.ts';
import { sessionKey } from '#server/money/settlement/session-writes.ts';
import { buildLog } from '#tests/support/build-log.ts';

interface SeededSession {
  session: string;
  client: string;
  token: string;
  /** Minutes from the first call to now, and to the last call. */
  began: number;
  lasted: number;
  calls: number;
  models: readonly string[];
  /** Agents other than the first one, each with the one that called it. */
  agents?: readonly (readonly [agent: string, parent: string])[];
}

/** The first one is the newest. */
export const seededSessions: readonly SeededSession[] = [
  {
    session: '7a0f1c7e-6f0a-4a55-9d5e-0b6f6f1f2a10',
    client: 'claude-cli/2.1.330',
    token: 'prod-chat',
    began: 64,
    lasted: 62,
    calls: 58,
    models: ['claude-opus-5-5', 'claude-haiku-5-5'],
    agents: [
      ['explore-3f2c', ''],
      ['review-91aa', ''],
      ['tests-77d0', 'review-91aa'],
    ],
  },
  {
    session: '0194b2c8-55ee-7d10-9a3f-6bb0f2f7c001',
    client: 'codex_exec/0.169.0',
    token: 'CI',
    began: 31,
    lasted: 22,
    calls: 24,
    models: ['gpt-6.1-sol'],
  },
  {
    session: 'ses_df6a42281ffeymV7MbuDmF89Af',
    client: 'opencode/1.18.33',
    token: 'prod-chat',
    began: 140,
    lasted: 95,
    calls: 40,
    models: ['deepseek-chat', 'gpt-4o-mini'],
    agents: [['ses_df6a3f930ffeEDaYMLmvgU2jCC', '']],
  },
  {
    session: 'qwen-code:0e4e2f4e-1d11-4d6e-8c55-1d6d0a7a9b01',
    client: 'QwenCode/0.24.4',
    token: 'batch-eval',
    began: 170,
    lasted: 3,
    calls: 6,
    models: ['qwen3-coder-plus'],
  },
  {
    session: 'nightly-evaluation-of-the-support-bot-2026-11',
    client: '',
    token: 'support-bot',
    began: 150,
    lasted: 140,
    calls: 12,
    models: ['gpt-4o-mini'],
  },
  {
    session: 'b6f0c9d2-2f2b-4a5e-8f43-0c1f8c1f7e55',
    client: 'claude-cli/2.1.330',
    token: 'prod-chat',
    began: 175,
    lasted: 0,
    calls: 1,
    models: ['claude-sonnet-5'],
  },
];

export async function seedSessions(url: string, { userId, username }: { userId: number; username: string }): Promise<void> {
  const db = await openDatabase(url);
  const now = Math.floor(Date.now() / 1000);
  const sums = new SessionSums({ db, log: pino({ level: 'silent' }) });
  let seq = 0;
  try {
    for (const { session, client, token, began, lasted, calls, models, agents = [] } of seededSessions) {
      const key = sessionKey(userId, 1, session);
      const ids = await db.nextIds('logs', calls);
      const rows = ids.map((id, index): LogRecord => {
        seq += 1;
        const [agent = '', parent = ''] = index % 3 === 0 ? [] : (agents[Math.floor(index / 3) % Math.max(1, agents.length)] ?? []);
        const hasFailed = index % 23 === 17;
        const prompt = 9_000 + ((index * 7919) % 60_000);
        return buildLog({
          id,
          user_id: userId,
          username,
          created_at: now - began * 60 + Math.floor((index * lasted * 60) / Math.max(1, calls - 1)),
          token_name: token,
          token_id: 1,
          model_name: models[index % models.length] ?? '',
          channel_id: 1,
          quota: hasFailed ? 0 : 3_000 + ((index * 104_729) % 60_000),
          prompt_tokens: prompt,
          completion_tokens: 200 + ((index * 331) % 2_400),
          is_stream: true,
          ...(hasFailed ? { failed: 1 as const } : {}),
          other: {
            cache_tokens: index === 0 ? 0 : Math.floor(prompt * 0.86),
            duration_ms: 2_400 + ((index * 1_301) % 21_000),
            frt: 600,
            session: {
              id: session,
              ...(agent === '' ? {} : { agent }),
              ...(parent === '' ? {} : { parent }),
              ...(client === '' ? {} : { client }),
            },
            ...(hasFailed ? { ending: 'upstream_error' } : {}),
          },
          session_key: key,
          process: 'seed',
          seq,
        });
      });
      await db.write(rows.map(({ process: _process, seq: _seq, ...insert }) => ({ insert, into: 'logs' as const })));
      for (const row of rows) sums.add(row);
      await sums.write();
    }
  } finally {
    await db.close();
  }
}
