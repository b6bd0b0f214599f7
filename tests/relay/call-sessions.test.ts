// Sessions of clients from their calls to the log: what is stored, summed, listed, opened, exported, given back and deleted.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallSession, SessionAgent } from '#shared/call-sessions.ts';
import type { Log } from '#shared/logs.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { createSession } from '#tests/support/build-token.ts';
import type { GroupRequest } from '#server/db/collection.ts';
import { closeRows } from '#server/money/log-closing.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createScene, type RelayScene, testModel, until } from '#tests/support/relay-scene.ts';
import { watchGroups } from '#tests/support/watched-database.ts';

const channels = [{}, { type: 14, models: 'claude-sonnet-4-5' }];
const settings = { SelfUseModeEnabled: 'true', ModelRatio: `{"${testModel}":50,"claude-sonnet-4-5":30}` };
const claudeCode = (session: string, more: Record<string, string> = {}) => ({
  'user-agent': 'claude-cli/2.1.330 (external, sdk-cli)',
  'x-claude-code-session-id': session,
  'anthropic-version': '2023-06-01',
  ...more,
});

describe.each(engines)('sessions of clients on $kind', (engine) => {
  let scene: RelayScene;
  let owner: TestClient;
  let admin: TestClient;
  beforeAll(async () => {
    scene = await createScene(engine, { settings, channels });
    admin = await scene.app.setup();
    owner = await scene.app.as(scene.user);
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  async function claude(headers: Record<string, string>, fields: object = {}): Promise<void> {
    const body = { model: 'claude-sonnet-4-5', max_tokens: 50, messages: [{ role: 'user', content: 'Say hello' }], ...fields };
    const response = await scene.post('/v1/messages?beta=true', body, headers);
    expect(response.status, await response.text()).toBe(200);
  }
  const sessionsOf = async (query: string, who = owner, path = '/api/log/self/sessions'): Promise<CallSession[]> => {
    const answer = await who.get(`${path}?${query}`);
    expect(answer).toMatchObject({ status: 200, success: true });
    return answer.data.items;
  };
  const rowsOf = (id: string): Promise<LogRecord[]> => scene.app.context.db.collection('logs').find({ session_key: id });
  const download = async (user: UserRecord, path: string): Promise<string> => {
    const cookie = await createSession(scene.app.context, user);
    const headers = { cookie, 'new-api-user': String(user.id) };
    const response = await fetch(`${scene.app.origin}${path}`, { headers });
    expect(response.status).toBe(200);
    return response.text();
  };
  const one = async (session: string): Promise<CallSession> => {
    const [found, ...more] = await sessionsOf(`session=${session}`);
    expect(more).toEqual([]);
    if (found === undefined) throw new Error('no such session');
    return found;
  };
  const open = async (id: string, who = owner, path = '/api/log/self/sessions') => (await who.get(`${path}/${id}`)).data;

  it("Claude Code's calls are one row that opens into its agents, with exact sums", async () => {
    const session = randomUUID();
    await claude(claudeCode(session));
    await claude(claudeCode(session, { 'x-claude-code-agent-id': 'agent_1' }));
    await claude(claudeCode(session, { 'x-claude-code-agent-id': 'agent_1' }), { stream: true });
    await claude(claudeCode(session, { 'x-claude-code-agent-id': 'agent_2', 'x-claude-code-parent-agent-id': 'agent_1' }));
    const row = await one(session);
    const rows = await rowsOf(row.id);
    const sum = (field: 'quota' | 'prompt_tokens' | 'completion_tokens', of = rows) => of.reduce((total, each) => total + each[field], 0);
    expect(sum('quota')).toBeGreaterThan(0);
    expect(row).toMatchObject({
      session,
      client: 'claude-cli/2.1.330',
      models: ['claude-sonnet-4-5'],
      token_name: scene.token.name,
      calls: 4,
      errors: 0,
      quota: sum('quota'),
      refunded: 0,
      prompt_tokens: sum('prompt_tokens'),
      completion_tokens: sum('completion_tokens'),
      first_at: Math.min(...rows.map((each) => each.created_at)),
      last_at: Math.max(...rows.map((each) => each.created_at)),
    });
    const tree = await open(row.id);
    expect(tree).toMatchObject({ session: row, agents_left_out: 0, calls_kept: 4 });
    const agents = new Map<string, SessionAgent>(tree.agents.map((agent: SessionAgent) => [agent.agent, agent]));
    expect(
      [...agents].map(([agent, { parent, calls }]) => `${agent} of ${parent}: ${calls}`).toSorted((a, b) => a.localeCompare(b)),
    ).toEqual([' of : 1', 'agent_1 of : 2', 'agent_2 of agent_1: 1']);
    expect([...agents.values()].reduce((total, { quota }) => total + quota, 0)).toBe(row.quota);
    const reported = tree.calls.map((call: Log) => JSON.parse(call.other).session);
    expect(reported).toContainEqual({ id: session, key: row.id, agent: 'agent_2', parent: 'agent_1', client: 'claude-cli/2.1.330' });
    // An administrator sees the same.
    expect(await open(row.id, admin, '/api/log/sessions')).toMatchObject({ session: row, agents: tree.agents });
  });

  it('is summed once, however often it is opened, until there is a call more or less of it', async () => {
    const session = randomUUID();
    await claude(claudeCode(session));
    await claude(claudeCode(session, { 'x-claude-code-agent-id': 'agent_1' }));
    const { id } = await one(session);
    const { context } = scene.app;
    const { db } = context;
    let sums = 0;
    const isAgents = ({ by }: GroupRequest<unknown>) => by.length === 3;
    Object.assign(context, { db: watchGroups(db, async (name, request) => void (name === 'logs' && isAgents(request) && (sums += 1))) });
    try {
      const first = await open(id);
      expect(await Promise.all([open(id), open(id), open(id), open(id, admin, '/api/log/sessions')])).toMatchObject(
        [1, 2, 3, 4].map(() => ({ agents: first.agents, calls_kept: 2 })),
      );
      expect(sums).toBe(1);
      await claude(claudeCode(session, { 'x-claude-code-agent-id': 'agent_2' }));
      const grown = await until(async () => {
        const tree = await open(id);
        return tree.session.calls === 3 ? tree : null;
      });
      expect(grown.calls_kept).toBe(3);
      expect(grown.agents.reduce((total: number, { quota }: SessionAgent) => total + quota, 0)).toBe(grown.session.quota);
      const [oldest] = await rowsOf(id);
      await db.collection('logs').patch({ id: oldest?.id ?? 0 }, { set: { created_at: 1 } });
      await until(async () => (await closeRows(context, 2, () => false)).isDone || null);
      expect(await open(id)).toMatchObject({ calls_kept: 2 });
    } finally {
      Object.assign(context, { db });
    }
  });

  it("Codex's calls are one row, by its headers", async () => {
    const session = randomUUID();
    const codex = { 'session-id': session, 'thread-id': session, 'user-agent': 'codex_exec/0.169.0 (Debian 12.0.0; x86_64)' };
    const body = { model: testModel, input: 'Say hello', store: false, prompt_cache_key: randomUUID() };
    for (const headers of [codex, { ...codex, 'thread-id': randomUUID(), 'x-codex-parent-thread-id': session }]) {
      expect((await scene.post('/v1/responses', body, headers)).status).toBe(200);
    }
    const row = await one(session);
    expect(row).toMatchObject({ calls: 2, client: 'codex_exec/0.169.0', models: [testModel] });
    const tree = await open(row.id);
    expect(tree.agents).toHaveLength(2);
    expect(tree.agents.map(({ parent }: SessionAgent) => parent)).toEqual(['', '']);
  });

  it('calls of a conversation that is kept here are one row, by its id', async () => {
    const conversation = await (await scene.post('/v1/conversations', {})).json();
    for (const input of ['Say hello', 'Say it again']) {
      const response = await scene.post('/v1/responses', { model: testModel, input, conversation: conversation.id });
      expect(response.status, await response.text()).toBe(200);
    }
    expect(await one(conversation.id)).toMatchObject({ calls: 2, models: [testModel] });
  });

  it('a call without a session has no part in any', async () => {
    const known = await scene.app.context.db.collection('call_sessions').count({});
    await (await scene.chat({ user: 'alice' })).text();
    await scene.app.context.ledger.sessionSettled();
    expect(await scene.app.context.db.collection('call_sessions').count({})).toBe(known);
    const [row] = await scene.app.context.db.collection('logs').find({ type: 2 }, { sort: [['id', -1]], limit: 1 });
    expect([row?.session_key, row?.other?.['session']]).toEqual([undefined, undefined]);
  });

  it('calls that failed count as such, and many at once are all there', async () => {
    const session = randomUUID();
    await Promise.all(Array.from({ length: 12 }, async () => (await scene.chat({}, { 'x-session-id': session })).text()));
    scene.upstream.behave({ status: 400 });
    await (await scene.chat({}, { 'x-session-id': session })).text();
    scene.upstream.behave({});
    await until(async () => (await one(session)).calls === 13 || null);
    const row = await one(session);
    const rows = await rowsOf(row.id);
    expect(row).toMatchObject({ calls: 13, errors: 1, quota: rows.reduce((sum, { quota }) => sum + quota, 0) });
  });

  it('the same id under another key is another session, and nobody sees that of somebody else', async () => {
    const session = randomUUID();
    const { key } = await scene.addToken();
    await (await scene.chat({}, { 'x-session-id': session })).text();
    await (await scene.chat({}, { 'x-session-id': session, authorization: `Bearer ${key}` })).text();
    const found = await sessionsOf(`session=${session}`);
    expect(found.map(({ calls }) => calls)).toEqual([1, 1]);
    const stranger = await scene.app.as(await scene.app.createUser());
    expect(await sessionsOf(`session=${session}`, stranger)).toEqual([]);
    expect(await stranger.get(`/api/log/self/sessions/${found[0]?.id}`)).toMatchObject({ success: false, code: 'log_not_found' });
    expect((await stranger.get(`/api/log/self?session=${found[0]?.id}`)).data.items).toEqual([]);
    expect(await stranger.get('/api/log/sessions')).toMatchObject({ status: 403 });
  });

  it('the log, its sums and its files are narrowed to a session by either id', async () => {
    const session = randomUUID();
    for (let index = 0; index < 3; index += 1) await (await scene.chat({}, { 'x-session-id': session })).text();
    const row = await one(session);
    for (const name of [session, row.id]) {
      expect((await owner.get(`/api/log/self?session=${name}`)).data).toMatchObject({ total: 3 });
      expect((await admin.get(`/api/log/?session=${name}&model_name=${testModel}`)).data).toMatchObject({ total: 3 });
      expect((await owner.get(`/api/log/self/stat?session=${name}`)).data.quota).toBe(row.quota);
    }
    expect((await owner.get(`/api/log/self?session=${randomUUID()}`)).data.items).toEqual([]);
    const timeline = (await owner.get(`/api/log/self/timeline?session=${session}`)).data;
    expect(timeline.calls.reduce((sum: number, count: number) => sum + count, 0)).toBe(3);
    const [head = '', line = ''] = (await download(scene.user, `/api/log/self/sessions/export?session=${session}`)).split('\r\n');
    expect(head).toContain('session,token_name,client');
    expect(line).toContain(session);
    expect(line.split(',')).toContain(String(row.quota));
    const lines = await download(scene.user, `/api/log/self/sessions/export?format=jsonl&session=${row.id}`);
    expect(JSON.parse(lines)).toEqual(row);
  });

  it('pages follow each other without a gap, those with the newest call first', async () => {
    const { key, token } = await scene.addToken();
    for (let index = 0; index < 5; index += 1) {
      scene.app.clock.advance(1000);
      await (await scene.chat({}, { 'x-session-id': `page-${index}`, authorization: `Bearer ${key}` })).text();
    }
    const query = `token_name=${encodeURIComponent(token.name)}&page_size=2`;
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { data } = await owner.get(`/api/log/self/sessions?${query}${cursor === undefined ? '' : `&cursor=${cursor}`}`);
      expect(data.total).toBe(5);
      seen.push(...data.items.map((item: CallSession) => item.session));
      cursor = data.cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(['page-4', 'page-3', 'page-2', 'page-1', 'page-0']);
    expect(await owner.get('/api/log/self/sessions?cursor=x')).toMatchObject({ success: false, code: 'invalid_field' });
  });

  it('what is given back of a call is given back of its session and its agent', async () => {
    const session = randomUUID();
    await claude(claudeCode(session, { 'x-claude-code-agent-id': 'agent_1' }));
    const before = await one(session);
    const [row] = await rowsOf(before.id);
    const ref = `refund-${session.slice(0, 8)}`;
    await admin.post(`/api/log/${row?.id}/refund`, { amount: 7, reason: 'empty', ref });
    expect(await one(session)).toEqual({ ...before, refunded: 7 });
    expect((await open(before.id)).agents).toMatchObject([{ agent: 'agent_1', refunded: 7, calls: 1 }]);
  });

  it('calls that are not listed make no row, and calls that are do not tell of them', async () => {
    await using hidden = await createScene(engine, { settings: { ...settings, LogConsumeEnabled: 'false' } });
    const client = await hidden.app.as(hidden.user);
    await (await hidden.chat({}, { 'x-session-id': 's' })).text();
    await hidden.app.context.ledger.sessionSettled();
    expect((await client.get('/api/log/self/sessions')).data).toMatchObject({ items: [], total: 0 });
    const [record] = await hidden.app.context.db.collection('call_sessions').find({});
    expect(record).toMatchObject({ calls: 0, quota: 0 });
    expect(record?.hidden_quota).toBeGreaterThan(0);
  });

  it('deleting the log deletes the sessions that ended before, and leaves those that go on whole', async () => {
    await using old = await createScene(engine, { settings });
    const root = await old.app.setup();
    const client = await old.app.as(old.user);
    await (await old.chat({}, { 'x-session-id': 'ended' })).text();
    await (await old.chat({}, { 'x-session-id': 'goes-on' })).text();
    old.app.clock.advance(3_600_000);
    await (await old.chat({}, { 'x-session-id': 'goes-on' })).text();
    await old.logs(3);
    const moment = Math.floor(old.app.clock.now() / 1000) - 60;
    expect(await root.delete(`/api/log/?target_timestamp=${moment}`)).toMatchObject({ success: true, data: 2 });
    const { items } = (await client.get('/api/log/self/sessions')).data;
    expect(items).toMatchObject([{ session: 'goes-on', calls: 2 }]);
    expect((await client.get(`/api/log/self/sessions/${items[0].id}`)).data).toMatchObject({ calls_kept: 1 });
    await old.checkBooks();
  });
});
