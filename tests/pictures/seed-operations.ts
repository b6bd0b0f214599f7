// What operators have done and what has happened to them: backups, imports, keys of a channel, settings as code, blocked tokens.
import { readFileSync } from 'node:fs';
import type { Backup } from '#shared/backups.ts';
import type { ImportRun } from '#shared/imports.ts';
import { openDatabase } from '#server/db/open.ts';
import { sourceCopy } from '#tests/support/import-desk.ts';
import { until } from '#tests/support/until.ts';
import type { Site } from './seed-site.ts';

export async function seedOperations(site: Site): Promise<void> {
  await seedTokens(site);
  await seedKeys(site);
  await seedFiles(site);
  await seedBackups(site);
  // It brings users and tokens, which are the newest then.
  await seedImports(site);
}

/** A proved import, one that was stopped, and one whose file is no database. */
async function seedImports({ api }: Site): Promise<void> {
  const find = async (id: number) => (await api.get(`/api/import/${id}`)) as ImportRun;
  const create = async (file: { name: string; bytes: number }) =>
    (await api.post('/api/import/', { file, options: { without_settings: true, log_days: 36_500, conflicts: 'rename' } })) as ImportRun;
  const stopped = await create({ name: 'one-api-old.db', bytes: 48_200_000 });
  await api.post(`/api/import/${stopped.id}/stop`, {});
  using copy = sourceCopy('new-api-2026');
  const content = readFileSync(copy.file);
  const { id, options } = await create({ name: 'new-api.db', bytes: content.length });
  await api.upload('PUT', `/api/import/${id}/part?at=0`, new Uint8Array(content));
  const reach = (...states: string[]) => until(async () => states.includes((await find(id)).state), 60_000);
  await api.post(`/api/import/${id}/plan`, options);
  await reach('planned', 'failed');
  await api.post(`/api/import/${id}/start`, {});
  await reach('done', 'failed');
}

/** Of a fortnight, as the schedule has made them; one of them failed, and the last one was made by hand. */
async function seedBackups({ api, url }: Site): Promise<void> {
  const db = await openDatabase(url);
  for (let age = 12; age >= 1; age -= 1) {
    const started_at = Math.floor(Date.now() / 86_400_000 - age) * 86_400_000 + 19 * 3_600_000;
    const record = {
      id: await db.nextId('backups'),
      name: `tidegate-${new Date(started_at).toISOString().slice(0, 10)}.tidegate`,
      trigger: 'schedule' as const,
      user_id: 0,
      place: 'folder' as const,
      where: '/var/lib/tidegate/backups',
      started_at,
      ended_at: started_at + 9_400,
      alive_until: started_at + 60_000,
      step: 'rows' as const,
      progress: 412_806 - age * 9_113,
      progress_all: 412_806 - age * 9_113,
      has_key: true,
    };
    const { progress: rows } = record;
    await db.collection('backups').insert(
      age === 4
        ? { ...record, state: 'failed', progress: 201_400, error: { code: 'disk_full', text: 'ENOSPC: no space left on device, write' } }
        : {
            ...record,
            state: 'done',
            rows,
            bytes: 41_800_000 - age * 812_345,
            sha256: '7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069',
            is_snapshot: true,
            ...(age > 7 ? { removed_at: started_at + 7 * 86_400_000 } : {}),
          },
    );
  }
  await db.close();
  const { id } = (await api.post('/api/backup/', {})) as Backup;
  await until(async () => {
    const { backups } = (await api.get('/api/backup/')) as { backups: Backup[] };
    return backups.find((one) => one.id === id)?.state === 'done';
  });
}

const keyStates = [
  { note: '主账号', weight: 20 },
  { note: 'Berlin', weight: 10 },
  { cooling: 429 },
  { refused: 401, note: '已离职同事的账号' },
  { refused: 402 },
  { isByHand: true, note: 'Kept for the audit of the fourth quarter, which somebody may ask for' },
  {},
] satisfies { note?: string; weight?: number; cooling?: number; refused?: number; isByHand?: boolean }[];

/** A channel of several keys, one in each state, with calls of the last day. */
async function seedKeys({ api, url, upstream }: Site): Promise<void> {
  const [first = '', ...others] = keyStates.map(
    (_, index) => `sk-proj-${'q7Zt4Kd9'.repeat(4)}${(index * 7919 + 40_961).toString(36).padStart(4, '0')}`,
  );
  const name = 'OpenAI 密钥池';
  await api.post('/api/channel/', { type: 1, name, key: first, base_url: upstream, models: 'gpt-4o,gpt-4o-mini', tag: 'openai' });
  const pool = ((await api.get('/api/channel/?page_size=50')) as { id: number; name: string }[]).find((channel) => channel.name === name);
  if (pool === undefined) throw new Error('The channel was not created');
  await api.post(`/api/channel/${pool.id}/keys`, { keys: others.join('\n') });
  const now = Date.now();
  const db = await openDatabase(url);
  const keys = await db.collection('channel_keys').find({ channel_id: pool.id }, { sort: [['id', 1]] });
  for (const [index, record] of keys.entries()) {
    const {
      note = '',
      weight = 10,
      cooling,
      refused,
      isByHand,
    }: (typeof keyStates)[number] & Record<string, unknown> = keyStates[index] ?? {};
    const calls = index === 6 ? 0 : 9_120 - index * 1_203;
    await db.collection('channel_keys').patch(
      { id: record.id },
      {
        set: {
          note,
          weight,
          calls,
          failures: refused === undefined ? calls >> 9 : 14,
          tokens: calls * 1_870,
          last_used_time: calls === 0 ? 0 : Math.floor(now / 1000) - index * 611 - 4,
          created_time: Math.floor(now / 1000) - 86_400 * (90 - index),
          ...(cooling === undefined ? {} : { cooldowns: [{ model: '', until: now + 2_400_000, status: cooling }] }),
          ...(isByHand === undefined ? {} : { status: 2, status_by: 'harbour', status_time: Math.floor(now / 1000) - 90_000 }),
          ...(refused === undefined
            ? {}
            : { status: 3, status_time: Math.floor(now / 1000) - 5_400, reason_status: refused, no_balance: refused === 402 }),
        },
      },
    );
    if (calls === 0) continue;
    for (let hour = 0; hour < 24; hour += 1) {
      const start = Math.floor(now / 3_600_000 - hour) * 3_600;
      const share = Math.round((calls / 40) * (1 + Math.sin((hour + index) / 3.8)));
      await db.collection('channel_key_hours').insert({
        id: `${record.id}:${start}`,
        channel_id: record.channel_id,
        key_id: record.id,
        hour: start,
        calls: refused !== undefined && hour < 2 ? 0 : share,
        failures: refused !== undefined && hour === 2 ? 14 : hour % 11 === 3 ? share >> 5 : 0,
        tokens: share * 1_870,
      });
    }
  }
  await db.close();
}

/** One that was disabled with a reason, and one whose limits its owner cannot change. */
async function seedTokens({ api }: Site): Promise<void> {
  const { items } = (await api.get('/api/user_token/?page_size=50')) as { items: { id: number; name: string }[] };
  const idOf = (name: string) => items.find((token) => token.name === name)?.id ?? 0;
  await api.post(`/api/user_token/${idOf('CI')}/block`, { reason: '密钥出现在公开仓库 github.com/tide/demo 中' });
  await api.put(`/api/user_token/${idOf('batch-eval')}`, { held: ['quota', 'models'] });
}

const file = `version: 1
name: gateway
settings:
  RetryTimes: 2
  QuotaRemindThreshold: 1000000
groups:
  batch: { ratio: 0.5 }
prices:
  gpt-4o-mini: { model_ratio: 0.075, completion_ratio: 4 }
  text-embedding-3-small: { model_ratio: 0.01 }
channels:
  - { name: openai-main, type: OpenAI, key: "\${OPENAI_KEY}", models: [gpt-4o, gpt-4o-mini], groups: [default, batch] }
tokens:
  - { user: harbour, name: ci-build, models: [gpt-4o-mini], initial_quota: 5000000 }
`;

/** Settings, a group, prices, a channel and a token that a file manages. */
async function seedFiles({ api }: Site): Promise<void> {
  const other = { name: 'partners.yaml', text: 'version: 1\nname: partners\ngroups:\n  partner: { ratio: 0.85, usable: 合作伙伴 }\n' };
  await api.post('/api/as_code/apply', { files: [{ name: 'gateway/main.yaml', text: file }], secrets: { OPENAI_KEY: 'sk-of-the-file' } });
  await api.post('/api/as_code/apply', { files: [other] });
}
