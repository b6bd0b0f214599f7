// The log of an organisation: of all its calls, of a team, a member, or service accounts; those who do not read its usage get their calls alone.
import { describe, expect, it } from 'vitest';
import { sessionKey } from '#server/money/settlement/session-writes.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { engines } from '#tests/support/engines.ts';
import type { CallOptions, TestClient } from '#tests/support/http-client.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

const self = '/api/log/self';

interface Scene {
  id: number;
  owner: TestClient;
  developer: TestClient;
  reader: TestClient;
  behalf: CallOptions;
  /** Of the developer's row, and of the service account's. */
  rows: { own: number; service: number; owners: number };
  team: number;
  at: number;
}

async function createScene(app: TestApp): Promise<Scene> {
  const owner = await app.as(await app.createUser());
  const { id } = (await owner.post('/api/organisation/', { name: 'Harbour Labs', ref: `reference-${app.context.randomText(8)}` })).data;
  const team = (await owner.post(`/api/organisation/${id}/teams`, { name: 'Search' })).data.id as number;
  const join = async (role: string, team_id = 0) => {
    const client = await app.as(await app.createUser());
    const { link } = (await owner.post(`/api/organisation/${id}/invites`, { emails: [], role, team_id })).data;
    await client.post('/api/organisation/invite/accept', { token: link.split('#')[1] });
    return client;
  };
  const developer = await join('developer', team);
  const reader = await join('reader');
  const behalf = { headers: { 'openai-organization': `org-${id}` } } satisfies CallOptions;
  const tokenOf = async (client: TestClient, fields = {}) =>
    (await client.post('/api/token/', { name: 'key', unlimited_quota: true, ...fields }, behalf)).data[0].id as number;
  const tokens = [await tokenOf(developer), await tokenOf(owner, { name: 'bot', is_service: true, team_id: team }), await tokenOf(owner)];
  const { db } = app.context;
  const at = Math.floor(app.context.now() / 1000) - 30;
  const ids = await db.nextIds('logs', 3);
  const [own = 0, service = 0, owners = 0] = ids;
  await db.write(
    ids.map((row, index) => ({
      // A key that was renamed meanwhile.
      insert: buildLog({
        id: row,
        user_id: id,
        token_id: tokens[index] ?? 0,
        token_name: `old ${index}`,
        created_at: at,
        quota: 10 ** index,
      }),
      into: 'logs' as const,
    })),
  );
  return { id, owner, developer, reader, behalf, rows: { own, service, owners }, team, at };
}

describe.each(engines)('log of an organisation on $kind', (engine) => {
  it('is narrowed to a member, a team, or service accounts', async () => {
    await using app = await createTestApp(engine);
    await app.setup();
    const { owner, developer, reader, behalf, rows, team, at } = await createScene(app);
    const { own, service, owners } = rows;
    const time = `start_timestamp=${at - 60}&end_timestamp=${at + 60}`;
    const listed = async (client: TestClient, query: string) =>
      ((await client.get(`${self}?${query}`, behalf)).data.items as { id: number }[]).map(({ id }) => id).toSorted((a, b) => a - b);
    const spent = async (client: TestClient, query: string) => (await client.get(`${self}/stat?${query}`, behalf)).data.quota as number;
    const counted = async (client: TestClient, query: string) => {
      const { calls } = (await client.get(`${self}/timeline?${time}&${query}`, behalf)).data as { calls: number[] };
      return calls.reduce((sum, count) => sum + count, 0);
    };
    const expected: [client: TestClient, query: string, ids: number[], quota: number][] = [
      [owner, '', [own, service, owners], 111],
      [reader, '', [own, service, owners], 111],
      [owner, `member_id=${developer.userId}`, [own], 1],
      [owner, 'member_id=0', [service], 10],
      [reader, `team_id=${team}`, [own, service], 11],
      [owner, `team_id=${team}&member_id=0`, [service], 10],
      [owner, `member_id=${reader.userId}`, [], 0],
      // The own ones, whatever is requested.
      [developer, '', [own], 1],
      [developer, `member_id=${owner.userId}`, [], 0],
      [developer, `team_id=${team}`, [own], 1],
      [developer, 'member_id=0', [], 0],
    ];
    for (const [client, query, ids, quota] of expected) {
      const place = `${client.userId}: ${query}`;
      expect(await listed(client, query), place).toEqual(ids);
      expect(await spent(client, `${time}&${query}`), place).toBe(quota);
      expect(await counted(client, query), place).toBe(ids.length);
    }
  });

  it('names the members who called, in lists, rows and files, for those who read the calls of all', async () => {
    await using app = await createTestApp(engine);
    await app.setup();
    const { id, owner, developer, reader, behalf, rows } = await createScene(app);
    const users = app.context.db.collection('users');
    const nameOf = async ({ userId }: TestClient) => (await users.get(userId ?? 0))?.username ?? '';
    await users.patch({ id: developer.userId ?? 0 }, { set: { display_name: 'Mary, the second' } });
    const expected = [
      [rows.own, developer.userId ?? 0, 'Mary, the second'],
      [rows.service, 0, ''],
      [rows.owners, owner.userId ?? 0, await nameOf(owner)],
    ] as const;
    // Former calls stay those of the member who made them.
    await owner.delete(`/api/organisation/${id}/members/${developer.userId}?hand_over_to=${owner.userId}`);
    const file = async (client: TestClient, format: string) => String((await client.get(`${self}/export?format=${format}`, behalf)).body);
    for (const client of [owner, reader]) {
      const listed = (await client.get(self, behalf)).data.items as { id: number }[];
      for (const [row, member_id, member_name] of expected) {
        const named = { id: row, member_id, member_name };
        expect(listed).toContainEqual(expect.objectContaining(named));
        expect((await client.get(`${self}/${row}`, behalf)).data).toMatchObject(named);
      }
      const csv = await file(client, 'csv');
      expect(csv.split('\r\n')[0]?.split(',')).toContain('member');
      for (const name of ['"Mary, the second"', '(service account)', expected[2][2]]) expect(csv).toContain(`,${name},`);
      const lines = (await file(client, 'jsonl')).trim().split('\n');
      expect(lines.map((line) => JSON.parse(line))).toContainEqual(
        expect.objectContaining({ id: rows.own, member_name: 'Mary, the second' }),
      );
    }
    const second = await app.as(await app.createUser());
    const { link } = (await owner.post(`/api/organisation/${id}/invites`, { emails: [], role: 'developer' })).data;
    await second.post('/api/organisation/invite/accept', { token: link.split('#')[1] });
    expect((await file(second, 'csv')).split('\r\n')[0]?.split(',')).not.toContain('member');
  });

  it('shows developers no call of others, in files, rows and sessions either', async () => {
    await using app = await createTestApp(engine);
    await app.setup();
    const { owner, developer, behalf, rows, at } = await createScene(app);
    const { db } = app.context;
    const account = (await db.collection('logs').get(rows.own))?.user_id ?? 0;
    for (const [row, name] of [
      [rows.own, 'mine'],
      [rows.owners, 'theirs'],
    ] as const) {
      const token = (await db.collection('logs').get(row))?.token_id ?? 0;
      await db.collection('call_sessions').insert({
        id: sessionKey(account, token, name),
        session: name,
        listed: 1,
        user_id: account,
        username: 'Harbour Labs',
        token_id: token,
        token_name: 'key',
        client: '',
        models: {},
        applied: {},
        seen_at: at,
        hidden_quota: 0,
        first_at: at,
        last_at: at,
        calls: 1,
        errors: 0,
        quota: 1,
        prompt_tokens: 0,
        completion_tokens: 0,
        cache_tokens: 0,
      });
    }
    /** Ids in the file; one line is read as JSON. */
    const idsIn = async (client: TestClient, query = ''): Promise<number[]> => {
      const { body } = await client.get(`${self}/export?format=jsonl${query}`, behalf);
      const lines: { id: number }[] =
        typeof body === 'string' ? body.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])) : [body];
      return lines.map(({ id }) => id).toSorted((a, b) => a - b);
    };
    expect(await idsIn(owner)).toEqual([rows.own, rows.service, rows.owners]);
    expect(await idsIn(owner, `&member_id=${developer.userId}`)).toEqual([rows.own]);
    expect(await idsIn(developer)).toEqual([rows.own]);
    expect(await idsIn(developer, `&member_id=${owner.userId}`)).toEqual([]);
    expect(await developer.get(`${self}/${rows.own}`, behalf)).toMatchObject({ success: true, data: { id: rows.own } });
    for (const row of [rows.service, rows.owners])
      expect(await developer.get(`${self}/${row}`, behalf)).toMatchObject({ code: 'log_not_found' });
    const sessions = async (client: TestClient) =>
      (await client.get(`${self}/sessions`, behalf)).data.items as { session: string; id: string }[];
    expect((await sessions(developer)).map(({ session }) => session)).toEqual(['mine']);
    const all = await sessions(owner);
    expect(all.map(({ session }) => session).toSorted()).toEqual(['mine', 'theirs']);
    for (const { id, session } of all) {
      const answer = await developer.get(`${self}/sessions/${id}`, behalf);
      if (session === 'mine') expect(answer).toMatchObject({ success: true });
      else expect(answer).toMatchObject({ code: 'log_not_found' });
    }
  });

  it('has usage of a member and a team by token and model, as the log has it', async () => {
    await using app = await createTestApp(engine);
    await app.setup();
    const { id, owner, developer, reader, rows, team, at } = await createScene(app);
    const { db } = app.context;
    // A part of the call of the service account was given back.
    const back = await db.nextId('logs');
    const given = await db.collection('logs').get(rows.service);
    await db.collection('logs').insert(
      buildLog({
        id: back,
        user_id: id,
        token_id: given?.token_id ?? 0,
        created_at: at,
        type: 4,
        plain_type: 4,
        refunded: 3,
        quota: 0,
      }),
    );
    const parts = async (client: TestClient, query: string) => {
      const { data } = await client.get(`/api/organisation/${id}/usage?start_timestamp=${at - 900}&${query}`);
      return (data as { id: string; calls: number; quota: number }[]).map((part) => [part.id, part.calls, part.quota]);
    };
    expect(await parts(owner, 'by=model')).toEqual([['gpt-4o-mini', 3, 108]]);
    expect(await parts(owner, `by=model&member_id=${developer.userId}`)).toEqual([['gpt-4o-mini', 1, 1]]);
    expect(await parts(owner, 'by=model&member_id=0')).toEqual([['gpt-4o-mini', 1, 7]]);
    expect(await parts(reader, `by=model&team_id=${team}`)).toEqual([['gpt-4o-mini', 2, 8]]);
    expect(await parts(reader, `by=member&team_id=${team}`)).toEqual([
      ['0', 1, 7],
      [String(developer.userId), 1, 1],
    ]);
    expect((await parts(owner, `by=token&member_id=${owner.userId}`)).map(([, ...sums]) => sums)).toEqual([[1, 100]]);
    expect(await parts(owner, `by=model&member_id=${reader.userId}`)).toEqual([]);
    // The own part alone, whatever is requested.
    expect(await parts(developer, 'by=model')).toEqual([['gpt-4o-mini', 1, 1]]);
    expect(await parts(developer, `by=model&member_id=${owner.userId}`)).toEqual([]);
    expect(await parts(developer, `by=token&team_id=${team}`)).toHaveLength(1);
  });

  it('a personal log takes no notice of the filters', async () => {
    await using app = await createTestApp(engine);
    await app.setup();
    const person = await app.as(await app.createUser());
    const { db } = app.context;
    const id = await db.nextId('logs');
    await db.collection('logs').insert(buildLog({ id, user_id: person.userId ?? 0, created_at: Math.floor(app.context.now() / 1000) }));
    expect(await person.get(`${self}?member_id=77&team_id=5`)).toMatchObject({ data: { items: [{ id }] } });
  });
});
