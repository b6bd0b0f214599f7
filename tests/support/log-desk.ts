// Shared parts of tests of the usage logs: an app, users of one test alone with rows of theirs, and requests of both kinds of reader.
import { afterAll, beforeAll, expect } from 'vitest';
import type { Log } from '#shared/logs.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { buildLog } from '#tests/support/build-log.ts';
import type { Engine } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

type Fields = Record<string, string | number>;

export const idsOf = (items: readonly Log[]): number[] => items.map((item) => item.id);

export function queryText(fields: Fields): string {
  const text = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

/** Opened before and closed after the tests of the suite that calls this. */
export function useLogDesk(engine: Engine) {
  let app: TestApp;
  let admin: TestClient;
  let nextId = 1_000_000;
  beforeAll(async () => {
    app = await createTestApp(engine);
    admin = await app.setup();
  });
  afterAll(() => app.close());

  const now = () => Math.floor(app.clock.now() / 1000);

  async function insertRows(user: UserRecord, rows: Partial<LogRecord>[]): Promise<number[]> {
    const records = rows.map((row) =>
      buildLog({ username: user.username, created_at: now(), ...row, user_id: user.id, id: (nextId += 1) }),
    );
    await app.context.db.write(records.map((insert) => ({ insert, into: 'logs' as const })));
    return records.map(({ id }) => id);
  }

  return {
    get app() {
      return app;
    },
    get admin() {
      return admin;
    },
    /** Unix seconds. */
    now,
    insertRows,
    /** A user of one test alone, with rows; the first row is the oldest. */
    async someone(rows: Partial<LogRecord>[] = []): Promise<{ user: UserRecord; client: TestClient; ids: number[] }> {
      const user = await app.createUser();
      return { user, client: await app.as(user), ids: await insertRows(user, rows) };
    },
    async listOwn(client: TestClient, fields: Fields = {}) {
      const answer = await client.get(`/api/log/self${queryText(fields)}`);
      expect(answer).toMatchObject({ status: 200, success: true });
      return answer.data;
    },
    async listAll(fields: Fields) {
      const answer = await admin.get(`/api/log/${queryText(fields)}`);
      expect(answer).toMatchObject({ status: 200, success: true });
      return answer.data;
    },
  };
}
