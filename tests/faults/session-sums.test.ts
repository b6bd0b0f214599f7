// The sums of sessions stay exact whatever a process dies of, and whatever it is taken for.
import { describe, expect, it } from 'vitest';
import type { LogRecord } from '#server/db/records/log.ts';
import { recoverSessions } from '#server/money/recovery/recover-sessions.ts';
import { SessionSums } from '#server/money/settlement/session-sums.ts';
import { sessionKey } from '#server/money/settlement/session-writes.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { engines, onEachEngine } from '#tests/support/engines.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import pino from 'pino';

const log = pino({ level: 'silent' });
const id = sessionKey(7, 3, 'a');
const row = (seq: number, fields: Partial<LogRecord> = {}): LogRecord =>
  buildLog({
    id: seq,
    user_id: 7,
    token_id: 3,
    process: 'p1',
    seq,
    quota: 10,
    created_at: 1000 - seq,
    session_key: id,
    other: { session: { id: 'a', client: 'x/1' }, cache_tokens: 2 },
    ...fields,
  });
const rows = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => row(from + index));

onEachEngine('sums of sessions', (current) => {
  const read = async () => current().db.collection('call_sessions').get(id);
  const clear = () => current().db.collection('call_sessions').remove({});

  it('a dead process’ rows are added once by whoever settles its books, as often as it is tried', async () => {
    await clear();
    const { db } = current();
    const sums = new SessionSums({ db, log });
    for (const one of rows(1, 3)) sums.add(one);
    expect(sums.oldestSeq).toBe(1);
    await sums.write();
    expect(sums.oldestSeq).toBe(Infinity);
    await Promise.all([recoverSessions(db, rows(1, 6)), recoverSessions(db, rows(1, 6))]);
    await recoverSessions(db, rows(1, 6));
    expect(await read()).toMatchObject({ calls: 6, quota: 60, cache_tokens: 12, first_at: 994, last_at: 999, seen_at: 999, listed: 1 });
  });

  it('a process that lives after all adds nothing twice', async () => {
    await clear();
    const { db } = current();
    const sums = new SessionSums({ db, log });
    for (const one of rows(1, 4)) sums.add(one);
    await recoverSessions(db, rows(1, 4));
    await sums.write();
    sums.add(row(1, { process: 'p2' }));
    await sums.write();
    expect(await read()).toMatchObject({ calls: 5, quota: 50 });
  });

  it('a record that was deleted meanwhile begins anew', async () => {
    await clear();
    const { db } = current();
    const sums = new SessionSums({ db, log });
    sums.add(row(1));
    await sums.write();
    await clear();
    sums.add(row(2));
    await sums.write();
    expect(await read()).toMatchObject({ calls: 1, quota: 10, session: 'a', client: 'x/1', models: expect.anything() });
    expect(Object.values((await read())?.models ?? {})).toEqual(['gpt-4o-mini']);
  });

  it('names of models are kept up to a bound', async () => {
    await clear();
    const sums = new SessionSums({ db: current().db, log });
    for (let seq = 1; seq <= 40; seq += 1) {
      sums.add(row(seq, { model_name: `m.${seq}` }));
      if (seq % 7 === 0) await sums.write();
    }
    await sums.write();
    const record = await read();
    expect(record?.calls).toBe(40);
    expect(Object.keys(record?.models ?? {})).toHaveLength(16);
  });
});

describe.each(engines)('two processes on $kind', (engine) => {
  it('that take each other for dead leave sums that are those of the rows', async () => {
    await using scene = await createScene(engine, {});
    await using second = await createTestApp(engine, { database: scene.app.database, clock: scene.app.clock });
    const apps = [scene.app, second];
    const { db } = scene.app.context;
    for (let turn = 0; turn < 6; turn += 1) {
      const calls = Array.from({ length: 8 }, async (_, index) => {
        const response = await fetch(`${apps[index % 2]?.origin}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${scene.key}`, 'x-session-id': `s${index % 3}` },
          body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'x' }] }),
        });
        expect(response.status, await response.text()).toBe(200);
      });
      const [victim, settler] = turn % 2 === 0 ? apps : apps.toReversed();
      const dead = victim?.context.ledger.processId ?? '';
      await db.collection('processes').patch({ id: dead, state: 'alive' }, { set: { heartbeat_at: 0 } });
      await settler?.context.ledger.recoverCrashed();
      await Promise.all(calls);
    }
    for (const app of apps) await app.context.ledger.sessionSettled();
    const records = await db.collection('call_sessions').find({});
    expect(records).toHaveLength(3);
    for (const record of records) {
      const stored = await db.collection('logs').find({ session_key: record.id });
      expect([record.calls, record.quota]).toEqual([stored.length, stored.reduce((sum, { quota }) => sum + quota, 0)]);
    }
    expect(records.reduce((sum, { calls }) => sum + calls, 0)).toBe(48);
  });
});
