// The process of an import is killed in the middle of its rows; another one continues, and everything is here once.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ImportProof } from '#shared/imports.ts';
import { audit } from '#server/money/audit.ts';
import { claimImport } from '#server/slices/imports/runs/import-host.ts';
import { newRun } from '#server/slices/imports/runs/run-records.ts';
import type { WorkOrder } from '#server/slices/imports/runs/work-import.ts';
import { writeImportSource } from '#tests/bench/import-source.ts';
import { engines } from '#tests/support/engines.ts';
import { optionsOf } from '#tests/support/import-desk.ts';
import { createTestApp, type TestApp, testMasterKey } from '#tests/support/test-app.ts';
import { until } from '#tests/support/until.ts';

const users = 800;
const logs = 3_000;

describe.each(engines)('an import that is killed on $kind', (engine) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidegate-killed-import-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const startProcess = (app: TestApp, { id, worker }: WorkOrder) =>
    fork(new URL('../../server/import-process.ts', import.meta.url), [String(id), worker], {
      env: {
        ...process.env,
        DATABASE_URL: app.database.url,
        SESSION_SECRET: testMasterKey,
        IMPORT_DIR: folder,
        BACKUP_DIR: path.join(folder, 'backups'),
        LOG_LEVEL: 'fatal',
      },
      execArgv: [],
    });

  it('continues where it stopped: no row twice, none missing, and the books balance', async () => {
    await using app = await createTestApp(engine, { env: { IMPORT_DIR: folder } });
    const { context } = app;
    const { db } = context;
    // The process has the real time.
    app.clock.advance(Date.now() - app.clock.now());
    const file = `1-killed${engine.kind}.import.db`;
    mkdirSync(folder, { recursive: true });
    writeImportSource(path.join(folder, file), { users, logs, end: Math.floor(Date.now() / 1000) });
    const source_cipher = context.secrets.encrypt('{}', 'import_source');
    const state = { state: 'running', running: 1, has_written: true, file, source_cipher } as const;
    const about = { id: await db.nextId('imports'), by: 0, by_name: '', source_kind: 'file', source: 'killed.db', ...state } as const;
    await db.collection('imports').insert(newRun(context, { ...about, chosen: optionsOf() }));

    for (const [collection, rows] of [
      ['users', users / 2],
      ['logs', logs / 3],
    ] as const) {
      const order = await claimImport(context);
      expect(order).not.toBeNull();
      const child = startProcess(app, order ?? { id: 0, worker: '' });
      await until(async () => (await db.collection(collection).count({}, rows)) >= rows, 60_000);
      child.kill('SIGKILL');
      await once(child, 'exit');
      // Its sign of life has run out.
      const left = await db.collection('imports').get(about.id);
      app.clock.advance((left?.alive_until ?? 0) + 1 - app.clock.now());
    }
    expect(await db.collection('imports').get(about.id)).toMatchObject({ state: 'running' });
    const order = await claimImport(context);
    await once(startProcess(app, order ?? { id: 0, worker: '' }), 'exit');
    const done = await db.collection('imports').get(about.id);
    expect(done).toMatchObject({ state: 'done', backup_id: expect.any(Number) });
    const proof = ImportProof.parse(JSON.parse(done?.proof ?? ''));
    expect(proof.is_complete ? [] : [...proof.counts, ...proof.sums, proof]).toEqual([]);
    expect((await audit(db, app.clock.now)).findings).toEqual([]);
  }, 120_000);
});
