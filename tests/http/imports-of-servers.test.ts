import { describe, expect, it } from 'vitest';
import { openSource } from '#server/slices/imports/sources/open-source.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { importFrom, moneyOf } from '#tests/support/import-desk.ts';
import { isSkipped, loadDump, mysqlServer, postgresServer } from '#tests/support/source-servers.ts';
import { createTestApp } from '#tests/support/test-app.ts';

describe.each([
  { server: mysqlServer, dump: 'new-api-2026.mysql' },
  { server: postgresServer, dump: 'new-api-2026.postgresql' },
])('an import of new-api on $server.engine', ({ server, dump }) => {
  it.skipIf(isSkipped(server))('has the sums of the same installation on SQLite, and only reads', async () => {
    await using app = await createTestApp(embeddedEngine);
    using source = loadDump(server, dump);
    const { report, proof } = await importFrom(app, source.url);
    expect(proof).toMatchObject({ is_complete: true });
    expect(moneyOf(report)).toMatchObject({
      user_balance: 185_307_497,
      user_used: 219_345,
      token_balance: 789_516,
      code_unused: 501_250,
      log_charged: 219_345,
    });
    expect(await app.context.db.collection('users').first({ username: '小明' })).toMatchObject({ role: 1, aff_code: expect.any(String) });
    expect(await app.context.db.collection('channels').get(7)).toMatchObject({ priority: -3, param_override: '{"temperature":0.2}' });
    expect(await app.context.db.collection('tokens').get(4)).toMatchObject({ unlimited_quota: false, allow_ips: '127.0.0.1\n10.0.0.0/8' });
  });

  it.skipIf(isSkipped(server))('is refused with a reason that has no password', async () => {
    const address = new URL(server.url ?? '');
    address.port = '1';
    address.password = 'a-secret-password';
    const failure = await openSource(address.href).then(
      () => '',
      (reason: unknown) => String(reason),
    );
    expect(failure).toContain('The database cannot be reached');
    expect(failure).not.toContain('a-secret-password');
  });
});

describe('an import of LiteLLM', () => {
  it.skipIf(isSkipped(postgresServer))('has its users, keys by their SHA-256, deployments and spend', async () => {
    await using app = await createTestApp(embeddedEngine);
    using source = loadDump(postgresServer, 'litellm');
    const environment = { LITELLM_SALT_KEY: 'sk-invented-salt-key-11' };
    const { report, proof } = await importFrom(app, { from: source.url, environment });
    expect(proof).toMatchObject({ is_complete: true });
    // $152.619356 in the table of users, rounded row by row; $0.53697 in the log.
    expect(Math.abs((moneyOf(report)['user_used'] ?? 0) - 76_309_678)).toBeLessThanOrEqual(10);
    expect(Math.abs((moneyOf(report)['log_charged'] ?? 0) - 268_485)).toBeLessThanOrEqual(60);
    const { db } = app.context;
    expect(await db.collection('users').first({ username: '小红' })).toMatchObject({ quota: -500 });
    expect(await db.collection('users').first({ username: 'Cleo' })).toMatchObject({ unlimited_quota: true, quota: 0 });
    expect(await db.collection('tokens').first({ name: 'bruno laptop' })).toMatchObject({ remain_quota: 4_375_000, key_ending: '_JMw' });
    expect(await db.collection('channels').count({})).toBeGreaterThan(3);
    const again = await importFrom(app, { from: source.url, environment });
    expect(again.report.counts.reduce((sum, { added }) => sum + added, 0)).toBe(0);
    expect(again.proof).toMatchObject({ is_complete: true });
  });
});
