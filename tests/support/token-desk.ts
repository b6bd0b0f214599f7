// What tests of tokens share: an app, users of one test alone, and tokens made as their owners make them.
import { afterAll, beforeAll, expect } from 'vitest';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { Engine } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

/** Opened before and closed after the tests of the suite that calls this. */
export function useTokenDesk(engine: Engine) {
  let app: TestApp;
  let admin: TestClient;
  beforeAll(async () => {
    app = await createTestApp(engine);
    admin = await app.setup();
  });
  afterAll(() => app.close());
  return {
    get app() {
      return app;
    },
    get admin() {
      return admin;
    },
    /** A user of one test alone. */
    someone: async (fields: { group?: string } = {}): Promise<TestClient> => app.as(await app.createUser(fields)),
    /** The token as its owner gets it. */
    async createOne(client: TestClient, fields: Record<string, unknown> = {}) {
      const answer = await client.post('/api/token/', { name: 'key', unlimited_quota: true, ...fields });
      expect(answer).toMatchObject({ status: 200, success: true });
      return answer.data[0];
    },
    async record(id: number): Promise<TokenRecord> {
      const token = await app.context.db.collection('tokens').get(id);
      if (token === null) throw new Error(`There is no token ${id}`);
      return token;
    },
  };
}
