// Pages beyond what totals are exact to.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exactTotal } from '#server/http/paging.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { buildTokenRecord } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

const beyond = 30;
const size = 100;
const atOnce = 1000;

describe.each(engines)('lists of more than 10,000 on $kind', (engine) => {
  let app: TestApp;
  let root: TestClient;
  let rootId: number;

  beforeAll(async () => {
    app = await createTestApp(engine);
    root = await app.setup();
    const { db, secrets } = app.context;
    rootId = (await db.collection('users').first({}))?.id ?? 0;
    const channel = buildChannel({ id: 1, name: 'one' }, secrets);
    const ids = Array.from({ length: exactTotal + beyond }, (_, index) => index + 1);
    for (let start = 0; start < ids.length; start += atOnce) {
      const some = ids.slice(start, start + atOnce);
      await db.write(some.map((id) => ({ insert: { ...channel, id, name: `channel ${id}` }, into: 'channels' as const })));
      await db.write(some.map((id) => ({ insert: buildTokenRecord({ id, user_id: rootId }), into: 'tokens' as const })));
      await db.write(
        some.map((id) => ({
          insert: {
            id: 100_000 + id,
            ref: `deep:${id}`,
            account: 'user' as const,
            account_id: rootId,
            amount: 0,
            used: 0,
            kind: 'edit',
            created_at: 1_768_464_000,
            actor_id: 0,
            process: '',
            state: 'done' as const,
          },
          into: 'ledger' as const,
        })),
      );
    }
  });
  afterAll(() => app.close());

  it.each([
    ['/api/channel/', 0, (answer: { data: unknown[] }) => answer.data],
    ['/api/token/', 0, (answer: { data: unknown[] }) => answer.data],
    ['/api/user/topup/history', 1, (answer: { data: { items: unknown[] } }) => answer.data.items],
    ['/api/user/:root/balance_history', 1, (answer: { data: { items: unknown[] } }) => answer.data.items],
  ])('%s has its last page, and says that its total is a lower bound', async (path, first, rowsOf) => {
    const countOf = async (nth: number) => {
      const answer = await root.get(`${path.replace(':root', String(rootId))}?p=${nth}&page_size=${size}&size=${size}`);
      expect(answer).toMatchObject({ success: true });
      // Next to bare arrays it is a top-level key.
      const page = Array.isArray(answer.data) ? answer.body : answer.data;
      expect(page).toMatchObject({ total: exactTotal, total_is_lower_bound: true });
      return rowsOf(answer).length;
    };
    const last = exactTotal / size + first;
    expect(await countOf(last - 1)).toBe(size);
    expect(await countOf(last)).toBeGreaterThanOrEqual(beyond);
    expect(await countOf(last + 1)).toBe(0);
  });
});
