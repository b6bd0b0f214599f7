import 'fake-indexeddb/auto';
import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readAnswers, wipeAnswers } from './database.ts';
import { dropAnswers, forgetAnswers, persistAnswers, restoreAnswers } from './query-persister.ts';
import { shows } from '#tests/support/shows.ts';

let userId: number;
let organisationId: number;
let client: QueryClient;
let stop: () => void;

beforeEach(() => {
  userId = 1;
  client = new QueryClient();
  organisationId = 0;
  stop = persistAnswers(client, () => ({ userId, organisationId }));
});
afterEach(async () => {
  stop();
  for (const user of [0, 1, 2]) await wipeAnswers(user);
});

function ask(queryKey: readonly unknown[], data: unknown, offline?: true | { strip: (data: unknown) => unknown }): Promise<unknown> {
  return client.fetchQuery({ queryKey, queryFn: () => data, staleTime: 0, meta: offline === undefined ? {} : { offline } });
}
const stored = async (user: number) => (await readAnswers(user)).map((answer) => answer.queryKey);

describe('query-persister', () => {
  test('marked answers are kept and come back with the time at which they were true', async () => {
    await ask(['self'], { quota: 5 }, true);
    await ask(['groups'], ['vip']);
    await shows(async () => expect(await stored(1)).toEqual([['self']]));

    const later = new QueryClient();
    await restoreAnswers(later, { userId: 1, organisationId: 0 });
    expect(later.getQueryData(['self'])).toEqual({ quota: 5 });
    expect(later.getQueryState(['self'])?.dataUpdatedAt).toBe(client.getQueryState(['self'])?.dataUpdatedAt);
    expect(later.getQueryState(['self'])?.isInvalidated).toBe(true);
  });

  test('what must not be on the disk is taken out before it is written', async () => {
    await ask(['tokens'], [{ name: 'a', key: 'secret' }], { strip: () => [{ name: 'a', key: '' }] });
    await shows(async () => expect(await readAnswers(1)).toHaveLength(1));
    expect(JSON.stringify(await readAnswers(1))).not.toContain('secret');
    expect(client.getQueryData(['tokens'])).toEqual([{ name: 'a', key: 'secret' }]);
  });

  test('nobody gets what another user saw', async () => {
    await ask(['self'], { quota: 5 }, true);
    await shows(async () => expect(await stored(1)).toHaveLength(1));
    const other = new QueryClient();
    await restoreAnswers(other, { userId: 2, organisationId: 0 });
    expect(other.getQueryData(['self'])).toBeUndefined();
  });

  test('what is stored of an organisation is not shown of the user, or of another organisation, and goes at the sign-out', async () => {
    await ask(['tokens'], ['own'], true);
    await shows(async () => expect(await stored(1)).toHaveLength(1));
    organisationId = 7;
    dropAnswers(client);
    await ask(['tokens'], ['of seven'], true);
    await shows(async () => expect(await stored(1)).toHaveLength(2));
    const restored = async (id: number) => {
      const later = new QueryClient();
      await restoreAnswers(later, { userId: 1, organisationId: id });
      return later.getQueryData(['tokens']);
    };
    expect([await restored(0), await restored(7), await restored(8)]).toEqual([['own'], ['of seven'], undefined]);
    await forgetAnswers(client, 1);
    expect(await stored(1)).toEqual([]);
  });

  test('an answer that arrives while the account is changed is stored for neither', async () => {
    void ask(['tokens'], ['own'], true);
    await shows(() => expect(client.getQueryData(['tokens'])).toBeDefined());
    organisationId = 7;
    await ask(['members'], [], true);
    await shows(async () => expect(await stored(1)).toEqual([['members']]));
  });

  test('signing out forgets everything of the user, in memory and on the disk', async () => {
    await ask(['self'], { quota: 5 }, true);
    await shows(async () => expect(await stored(1)).toHaveLength(1));
    await forgetAnswers(client, 1);
    expect(client.getQueryData(['self'])).toBeUndefined();
    expect(await stored(1)).toEqual([]);
  });

  test('an answer that comes in while somebody signs out is not kept for him', async () => {
    void ask(['self'], { quota: 5 }, true);
    await shows(() => expect(client.getQueryData(['self'])).toBeDefined());
    userId = 0;
    await forgetAnswers(client, 1);
    await ask(['pricing'], [], true);
    await shows(async () => expect(await stored(0)).toEqual([['pricing']]));
    expect(await stored(1)).toEqual([]);
  });

  test('of one kind only the latest few are kept', async () => {
    for (let page = 1; page <= 15; page += 1) {
      vi.spyOn(Date, 'now').mockReturnValue(1_800_000_000_000 + page * 1000);
      await ask(['logs', page], page, true);
    }
    vi.restoreAllMocks();
    await shows(async () =>
      expect(new Set((await stored(1)).map(([, page]) => page))).toEqual(new Set([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])),
    );
  });
});
