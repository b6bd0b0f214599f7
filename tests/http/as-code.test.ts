// Settings as code: files of settings, groups, prices, channels and tokens are planned, applied, exported and released.
import { readFileSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LogType } from '#shared/logs.ts';
import { Role } from '#shared/roles.ts';
import { AppError } from '#shared/errors.ts';
import { actingAsJob } from '#server/audit-log/actor.ts';
import type { AppContext } from '#server/context.ts';
import { applyDocument, type ApplyRequest, planDocument } from '#server/slices/as-code/apply-document.ts';
import { documentSchema } from '#server/slices/as-code/document.ts';
import { type DocumentFile, readDocument } from '#server/slices/as-code/read-document.ts';
import { readInThread } from '#server/slices/as-code/read-in-thread.ts';
import { exportDocument } from '#server/slices/as-code/export-document.ts';
import { applyEntries } from '#server/slices/prices/apply-entries.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { cpuTime } from '#tests/support/cpu-time.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

const actor = { id: 0, role: Role.root, username: 'apply' };
const secrets: Record<string, string> = {
  OPENAI_KEY: 'sk-upstream-secret-1',
  OTHER_KEY: 'sk-upstream-secret-2',
  SMTP_TOKEN: 'mail-secret-word',
  CI_KEY: 'ci'.repeat(24),
  PROXY: 'http://proxy-user:proxy-secret@proxy.example:8080',
};

const whole = `version: 1
settings:
  SystemName: Acme
  RetryTimes: 5
  EmailDomainWhitelist: [acme.example, other.example]
  SMTPToken: \${SMTP_TOKEN}
  ToolPrice: { web_search: 12 }
groups:
  default: { ratio: 1, usable: Everybody }
  gold: { ratio: 0.5, topup_ratio: 0.9, ratios: { default: 0.8 } }
  vip: null
prices:
  gpt-4o: { model_ratio: 2, completion_ratio: 4 }
  house-model: { model_price: 0.02 }
channels:
  - name: main
    type: OpenAI
    key: \${OPENAI_KEY}
    models: [gpt-4o, house-model]
    groups: [default, gold]
    priority: 7
    tag: paid
    setting: { proxy: "\${PROXY}", force_format: true }
    model_mapping: { house-model: gpt-4o-mini }
  - name: pool
    type: 1
    keys:
      - { key: "\${OPENAI_KEY}", weight: 20, note: first }
      - key: \${OTHER_KEY}
    models: [gpt-4o]
    auto_ban: false
tokens:
  - user: ci
    name: build
    key: sk-\${CI_KEY}
    unlimited_quota: true
    models: [gpt-4o]
    group: gold
  - user: ci
    name: made
    initial_quota: 5000
`;

function request(text: string, more: Partial<ApplyRequest> = {}): ApplyRequest {
  const source = { value: (name: string) => (Object.hasOwn(secrets, name) ? secrets[name] : undefined) };
  return { actor, language: 'en', files: [{ name: 'tidegate.yaml', text }], read: (files) => readDocument(files, source), ...more };
}

const apply = (context: AppContext, text: string, more: Partial<ApplyRequest> = {}) =>
  actingAsJob('apply', () => applyDocument(context, request(text, more)));
const plan = (context: AppContext, text: string, more: Partial<ApplyRequest> = {}) =>
  actingAsJob('apply', () => planDocument(context, request(text, more)));

async function problems(work: Promise<unknown>): Promise<string[]> {
  const failure: unknown = await work.catch((reason: unknown) => reason);
  if (!(failure instanceof AppError) || failure.code !== 'document_invalid') throw failure;
  const { problems: found } = failure.data as { problems: { line: number; column: number; message: string }[] };
  return found.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

const channelNamed = async ({ db }: AppContext, name: string) => {
  const channel = await db.collection('channels').first({ name });
  if (channel === null) throw new Error(`There is no channel ${name}`);
  return channel;
};

it('the published schema is that of the contracts', () => {
  const published: unknown = JSON.parse(readFileSync(new URL('../../docs/tidegate.schema.json', import.meta.url), 'utf8'));
  // `npm run apply -- --schema > docs/tidegate.schema.json`
  expect(documentSchema()).toEqual(published);
});

describe.each(engines)('as-code on $kind', (engine) => {
  let app: TestApp;
  let root: TestClient;
  let admin: TestClient;
  beforeAll(async () => {
    app = await createTestApp(engine);
    root = await app.setup();
    admin = await app.as(await app.createUser({ username: 'keeper', role: Role.admin }));
    await app.createUser({ username: 'ci', group: 'gold' });
    await app.createUser({ username: 'chief', role: Role.admin });
  });
  afterAll(() => app.close());

  it('a dry run writes nothing; an apply does what it showed; a second one finds no difference', async () => {
    const { context } = app;
    const before = await context.db.collection('options').find({});
    const planned = await plan(context, whole);
    expect(planned.changes.map(({ kind, name, action }) => `${action} ${kind} ${name}`)).toEqual([
      'changed setting EmailDomainWhitelist',
      'changed setting SMTPToken',
      'changed setting SystemName',
      'changed setting RetryTimes',
      'changed setting ToolPrice',
      'changed price gpt-4o',
      'created price house-model',
      'changed group default',
      'created group gold',
      'created channel main',
      'created channel pool',
      'created token ci/build',
      'created token ci/made',
      'deleted group vip',
    ]);
    const text = JSON.stringify(planned);
    for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
    expect(await context.db.collection('options').find({})).toEqual(before);

    const { keys, ...applied } = await apply(context, whole);
    expect(applied).toEqual(planned);
    expect(keys).toEqual([{ user: 'ci', name: 'made', key: expect.stringMatching(/^sk-\w{48}$/) }]);
    const again = await plan(context, whole);
    expect(again).toMatchObject({ changes: [], left: [], same: 14 });

    const main = await channelNamed(context, 'main');
    expect(main).toMatchObject({
      type: 1,
      priority: 7,
      group: 'default,gold',
      managed: { by: 'tidegate.yaml', file: 'tidegate.yaml', left: ['status'] },
    });
    expect(context.secrets.decrypt(main.key_cipher, 'channel_key')).toBe(secrets['OPENAI_KEY']);
    const pool = await context.db.collection('channel_keys').find({ channel_id: (await channelNamed(context, 'pool')).id });
    expect(pool.map(({ weight, note }) => ({ weight, note }))).toEqual([
      { weight: 20, note: 'first' },
      { weight: 10, note: '' },
    ]);
    expect(context.settings.get('GroupRatio')).toEqual({ default: 1, gold: 0.5, svip: 1 });
    expect(context.settings.get('SMTPToken')).toBe(secrets['SMTP_TOKEN']);
    const used = await fetch(`${app.origin}/v1/models`, { headers: { authorization: `Bearer sk-${secrets['CI_KEY']}` } });
    expect(used.status).toBe(200);
    const entries = await context.db.collection('audit_entries').find({ actor_name: 'apply' });
    expect(new Set(entries.map(({ kind }) => kind))).toEqual(new Set(['setting', 'price', 'group', 'channel', 'token']));
    for (const secret of Object.values(secrets)) expect(JSON.stringify(entries)).not.toContain(secret);
  });

  it('what a file manages is marked, and refused to everybody at the console with its name, whichever call edits it', async () => {
    const { context } = app;
    const main = await channelNamed(context, 'main');
    const pool = await channelNamed(context, 'pool');
    const owner = await context.db.collection('users').first({ username: 'ci' });
    const ci = await app.as({ id: owner?.id ?? 0 });
    const [token] = (await ci.get('/api/token/search?keyword=build')).data;
    const made = (await ci.get('/api/token/search?keyword=made')).data[0];
    expect((await admin.get(`/api/channel/${main.id}`)).data.managed_by).toBe('tidegate.yaml');
    expect(token).toMatchObject({ managed_by: 'tidegate.yaml', managed_left: expect.any(Array) });
    const free = await admin.post('/api/channel/', { name: 'free', key: 'sk-free-key', models: 'gpt-4o', tag: 'paid' });
    const freeId: number = free.data[0];
    const poolKeys = (await admin.get(`/api/channel/${pool.id}/keys`)).data.keys;
    const refused = [
      root.put('/api/channel/', { id: main.id, priority: 1 }),
      root.put('/api/channel/', { id: main.id, key: 'sk-another-key' }),
      root.delete(`/api/channel/${main.id}`),
      admin.post('/api/channel/batch', { ids: [main.id, freeId] }),
      admin.post('/api/channel/batch/tag', { ids: [main.id], tag: 'other' }),
      admin.put('/api/channel/tag', { tag: 'paid', priority: 3 }),
      admin.post(`/api/channel/${pool.id}/keys`, { keys: 'sk-third-key' }),
      admin.put(`/api/channel/${pool.id}/keys/${poolKeys[0].id}`, { weight: 3 }),
      admin.post('/api/channel/keys/replace', { from: { channel_id: main.id, key_id: 0 }, channels: [main.id], key: 'sk-replaced' }),
      admin.put('/api/option/', { key: 'SystemName', value: 'Mine' }),
      admin.put('/api/option/batch', { options: [{ key: 'RetryTimes', value: '9' }] }),
      admin.put('/api/option/', { key: 'ModelPrice', value: JSON.stringify({ 'house-model': 1 }) }),
      admin.post('/api/option/rest_model_ratio', {}),
      admin.post('/api/group/rename', { name: 'gold', to: 'silver' }),
      admin.post('/api/group/remove', { name: 'gold', to: 'default' }),
      ci.put('/api/token/', { id: token.id, name: 'mine' }),
      ci.delete(`/api/token/${token.id}`),
      ci.post(`/api/token/${token.id}/renew`, { old_key_seconds: 0, revision: token.revision }),
      ci.put('/api/token/batch', { ids: [token.id], ref: 'reference-1', group: 'default' }),
    ];
    for (const [index, answer] of (await Promise.all(refused)).entries()) {
      expect(answer.success, `call ${index}`).toBe(false);
      expect(answer.message, `call ${index}`).toContain('tidegate.yaml');
    }
    const options: { key: string; managed_by?: string; managed_entries?: object }[] = (await admin.get('/api/option/')).data;
    const presented = (key: string) => options.find((option) => option.key === key);
    expect(presented('SystemName')?.managed_by).toBe('tidegate.yaml');
    expect(presented('ModelRatio')?.managed_entries).toEqual({ 'gpt-4o': 'tidegate.yaml', 'house-model': 'tidegate.yaml' });
    expect(presented('GroupRatio')?.managed_entries).toEqual({ default: 'tidegate.yaml', gold: 'tidegate.yaml' });
    // Jobs that compare prices leave these as they are, and people read why.
    const entries = [{ key: 'ModelRatio', name: 'gpt-4o', before: 2, after: 3 }];
    const job = { actor: { id: 0, role: Role.root, username: '' }, reason: {} };
    expect(await applyEntries(context, [{ model: 'gpt-4o', entries, lines: [] }], job)).toEqual({ done: [], changed: ['gpt-4o'] });
    // An incident does not wait for a file.
    const block = await admin.post(`/api/user_token/${token.id}/block`, { reason: 'leaked' });
    expect(block).toMatchObject({ success: true });
    expect(await plan(context, whole)).toMatchObject({ changes: [] });
    expect((await admin.post(`/api/user_token/${token.id}/move`, { user_id: admin.userId })).success).toBe(false);
    expect(await admin.post(`/api/user_token/${token.id}/unblock`, {})).toMatchObject({ success: true });
    const partly = await admin.put('/api/channel/batch', { ids: [main.id, freeId], priority: 4 });
    expect(partly.data).toMatchObject({ changed: 1, failed: [{ id: main.id, message: expect.stringContaining('tidegate.yaml') }] });
    expect(await channelNamed(context, 'main')).toMatchObject({ priority: 7, tag: 'paid' });

    // What moves while calls are served, and what the file leaves to the console, stays free.
    const allowed = [
      admin.put('/api/channel/', { id: main.id, status: 2 }),
      admin.put('/api/channel/', { ...(await admin.get(`/api/channel/${pool.id}`)).data }),
      admin.put('/api/option/', { key: 'ModelPrice', value: JSON.stringify({ ...context.settings.get('ModelPrice'), mine: 1 }) }),
      ci.put('/api/token/', { id: made.id, remain_quota: 7000 }),
    ];
    for (const [index, answer] of (await Promise.all(allowed)).entries()) expect(answer, `call ${index}`).toMatchObject({ success: true });
    const { revision } = (await ci.get(`/api/token/${made.id}`)).data;
    expect(await ci.post(`/api/token/${made.id}/renew`, { old_key_seconds: 0, revision })).toMatchObject({ success: true });
    expect(await plan(context, whole)).toMatchObject({ changes: [] });
    await admin.delete(`/api/channel/${freeId}`);
  });

  it('all errors come with line and column, and nothing is written for them', async () => {
    const { context } = app;
    expect(
      await problems(
        plan(
          context,
          `version: 1
settings:
  RetryTimes: many
  NoSuchSetting: 1
groups:
  gold: { ratio: 1, colour: red }
channels:
  - name: twice
    type: 1
    models: [a]
    key: \${NO_SUCH_NAME}
  - name: twice
    type: 1
    models: []
`,
        ),
      ),
    ).toEqual([
      expect.stringMatching(/^11:5 .*NO_SUCH_NAME/),
      expect.stringMatching(/^3:3 .*RetryTimes must be a number/),
      expect.stringMatching(/^4:3 .*NoSuchSetting is not a known field/),
      expect.stringMatching(/^6:21 .*colour is not a known field/),
      expect.stringMatching(/^14:5 .*models.* must have at least 1/),
    ]);
    const second = `version: 1
settings: { SystemName: Acme, WeChatAuthEnabled: true }
channels:
  - { name: x, type: NoSuchType, models: [a], key: sk-plain-secret-key }
  - { name: x, type: 1, models: [a], key: sk-plain-secret-key, base_url: "ftp://nowhere" }
tokens:
  - { user: nobody, name: a }
  - { user: ci, name: b, group: svip }
  - { user: ci, name: c, key: short }
  - { user: ci, name: d, key: &key abcdefghijabcdefghijabcdefghijab }
  - { user: ci, name: e, key: *key }
`;
    const found = await problems(plan(context, second));
    expect(found.join('\n')).toMatch(/5:5 x is described twice/);
    const third = await problems(plan(context, second.replace('name: x, type: 1', 'name: y, type: 1')));
    expect(third.join('\n')).toMatch(
      /4:.*type[\s\S]*5:.*http[\s\S]*7:.*user who does not exist[\s\S]*8:[\s\S]*9:.*32[\s\S]*11:.*another token/,
    );
    expect(third.join('\n')).not.toContain('plain-secret');
    expect(await problems(plan(context, 'version: 1\nsettings: { SystemName: a, SystemName: b }'))).toHaveLength(1);
    expect(await problems(plan(context, 'version: 2'))).toHaveLength(1);
    expect((await plan(context, 'version: 1\nsettings: { SMTPToken: plain-word }')).warnings).toMatchObject([{ line: 2 }]);
  });

  it('documents that are made to be expensive, or to reach a prototype, are refused', async () => {
    const { context } = app;
    const bomb = Array.from({ length: 12 }, (_, index) =>
      index === 0
        ? 'a0: &a0 [x,x,x,x,x,x,x,x,x]'
        : `a${index}: &a${index} [${Array.from({ length: 9 }, () => `*a${index - 1}`).join(',')}]`,
    ).join('\n');
    for (const text of [
      bomb,
      'a: &a [*a]',
      'version: 1\nchannels: &a\n  - *a',
      '['.repeat(1_000_000),
      '- '.repeat(100_000),
      '{"a":'.repeat(100_000),
      'version: 1\n__proto__: { polluted: true }',
      'version: 1\nprices: { __proto__: { model_price: 1 } }',
      'x'.repeat(5_000_000),
    ]) {
      const took = await cpuTime(async () => expect((await problems(plan(context, text))).length).toBeGreaterThan(0));
      expect(took).toBeLessThan(6_000);
    }
    expect({}).not.toHaveProperty('polluted');
  });

  it('a server reads documents in a thread of its own, one at a time, and stops one that takes too long', async () => {
    let threads = 0;
    const count = ({ threadName }: Worker) => {
      if (threadName === 'document') threads += 1;
    };
    process.on('worker', count);
    try {
      const files = [{ name: 'a.yaml', text: 'version: 1\nname: apart\nsettings: { RetryTimes: many }' }];
      const [one, other] = await Promise.all([root.post('/api/as_code/plan', { files }), root.post('/api/as_code/apply', { files })]);
      for (const { body } of [one, other])
        expect(body).toMatchObject({ code: 'document_invalid', data: { problems: [{ line: 3, column: 13 }] } });
      expect(threads).toBe(2);
      const { problems: found } = await readInThread(files, {}, 1);
      expect(found).toMatchObject([{ text: { en: expect.stringContaining('too much time') } }]);
      const many = await Promise.allSettled(Array.from({ length: 9 }, () => readInThread(files, {}, 1)));
      expect(many.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    } finally {
      process.off('worker', count);
    }
  });

  it('a model and a group may have names that every object has', async () => {
    const text = 'version: 1\nname: names\ngroups: { toString: { ratio: 2 } }\nprices: { constructor: { model_ratio: 2 } }';
    const { changes } = await apply(app.context, text);
    expect(changes).toMatchObject([
      { name: 'constructor', action: 'created', fields: [{ field: 'model_ratio', after: '2' }] },
      { name: 'toString', action: 'created', fields: [{ field: 'ratio', after: '2' }] },
    ]);
    const none = 'version: 1\nname: names\nprices: {}';
    expect((await apply(app.context, none, { prunes: true })).changes).toHaveLength(2);
    expect(app.context.settings.get('ModelRatio')['constructor']).toBeUndefined();
  });

  it('a document is read in time that grows with its length, however many entries one map has', async () => {
    const entries = Array.from({ length: 10_000 }, (_, index) => ` m${index}: { model_ratio: x }`).join('\n');
    const took = await cpuTime(async () => expect((await problems(plan(app.context, `version: 1\nprices:\n${entries}`))).length).toBe(100));
    expect(took).toBeLessThan(10_000);
  });

  it('only what the files managed before is deleted, and only with prune; other files keep what is theirs', async () => {
    const { context } = app;
    const rest = `version: 1\nname: tidegate.yaml\ngroups: { default: { ratio: 1, usable: Everybody } }\nsettings: { SystemName: Acme }\n`;
    const kept = await plan(context, rest);
    expect(kept.changes).toEqual([]);
    expect(kept.left).toHaveLength(4 + 2 + 1 + 2 + 2);
    const other = `version: 1\nname: other\nsettings: { SystemName: Theirs }`;
    expect((await problems(plan(context, other))).join()).toContain('tidegate.yaml');

    // The user ci is in the group, so that it cannot go.
    expect((await problems(plan(context, rest, { prunes: true }))).join()).toContain('gold');
    await root.put('/api/user/', { ...(await context.db.collection('users').first({ username: 'ci' })), group: 'default' });
    const pruned = await apply(context, rest, { prunes: true });
    expect(pruned.changes.map(({ action }) => action)).toEqual(Array.from({ length: 11 }, () => 'deleted'));
    expect(await context.db.collection('channels').count({})).toBe(0);
    expect(context.settings.get('GroupRatio')).toEqual({ default: 1, svip: 1 });
    expect(context.settings.get('RetryTimes')).toBe(3);
    expect(context.settings.get('ModelPrice')).not.toHaveProperty('house-model');
    expect(await plan(context, rest, { prunes: true })).toMatchObject({ changes: [], left: [], same: 2 });
  });

  it('over the API: the rights of the single calls, no environment, no files; secrets come with the call', async () => {
    const files = (text: string) => [{ name: 'api.yaml', text }];
    const body = (text: string, more: object = {}) => ({ files: files(text), ...more });
    const channel = 'version: 1\nchannels: [{ name: api, type: 1, models: [a], key: "${KEY}" }]';
    process.env['TIDEGATE_TEST_SECRET'] = 'environment-secret';
    for (const text of [channel, channel.replace('KEY', 'TIDEGATE_TEST_SECRET'), channel.replace('${KEY}', 'file:/etc/passwd')]) {
      const answer = await admin.post('/api/as_code/apply', body(text));
      expect(answer).toMatchObject({ success: false, code: 'document_invalid' });
      expect(JSON.stringify(answer)).not.toMatch(/environment-secret|root:/);
    }
    delete process.env['TIDEGATE_TEST_SECRET'];
    for (const text of [
      'version: 1\nsettings: { ServerAddress: "https://mine.example" }',
      'version: 1\nsettings: { SMTPToken: "${KEY}" }',
      'version: 1\nsettings: { EpayId: mine }',
      'version: 1\ntokens: [{ user: root, name: mine, unlimited_quota: true }]',
      'version: 1\ntokens: [{ user: chief, name: mine, unlimited_quota: true }]',
    ]) {
      expect(await admin.post('/api/as_code/apply', body(text, { secrets: { KEY: 'value' } }))).toMatchObject({ code: 'document_invalid' });
    }
    const someone = await app.as(await app.createUser({ username: 'someone' }));
    expect((await someone.post('/api/as_code/plan', body(channel))).status).toBe(403);
    const planned = await admin.post('/api/as_code/plan', body(channel, { secrets: { KEY: 'sk-api-key' } }));
    expect(planned).toMatchObject({ success: true, data: { name: 'api.yaml', changes: [{ kind: 'channel', action: 'created' }] } });
    const { digest } = planned.data;
    const stale = await admin.post('/api/as_code/apply', body(channel, { secrets: { KEY: 'sk-api-key' }, digest: 'other' }));
    expect(stale).toMatchObject({ success: false, code: 'apply_outdated' });
    const applied = await admin.post('/api/as_code/apply', body(channel, { secrets: { KEY: 'sk-api-key' }, digest }));
    expect(applied).toMatchObject({ success: true, data: { changes: [{ name: 'api' }], keys: [] } });
    const [entry] = await app.context.db.collection('audit_entries').find({ kind: 'channel', name: 'api' });
    expect(entry).toMatchObject({ actor_name: 'keeper', action: 'created' });
    expect((await admin.get('/api/as_code/')).data).toContainEqual(expect.objectContaining({ by: 'api.yaml', channels: 1 }));
    expect((await admin.post('/api/as_code/release', { by: 'api.yaml' })).status).toBe(403);
    expect((await root.post('/api/as_code/release', { by: 'api.yaml' })).data).toBe(1);
    const { id } = await channelNamed(app.context, 'api');
    expect((await admin.delete(`/api/channel/${id}`)).success).toBe(true);
    expect((await fetch(`${app.origin}/api/as_code/schema.json`)).status).toBe(200);
  });

  it('an owner reads in the log what a file of another one did to the own tokens', async () => {
    const person = await app.createUser({ username: 'watched' });
    const rows = async () => {
      const found = await app.context.db.collection('logs').find({ user_id: person.id, type: LogType.management }, { sort: [['id', -1]] });
      return found.map(({ other }) => /"code":"(\w+)","token":"ours"/.exec(JSON.stringify(other))?.[1]);
    };
    const text = (rest: string) => `version: 1\nname: watched\ntokens: [${rest}]`;
    const token = (more: string) => `{ user: watched, name: ours${more} }`;
    const seen: string[] = [];
    for (const [document, row] of [
      [text(token('')), 'token_created'],
      [text(token(', models: [gpt-4o]')), 'token_changed'],
      // Nothing changes.
      [text(token(', models: [gpt-4o]')), undefined],
      [text(''), 'token_deleted'],
    ] as const) {
      const applied = await root.post('/api/as_code/apply', { files: [{ name: 'watched.yaml', text: document }], prune: true });
      expect(applied).toMatchObject({ success: true });
      if (row !== undefined) seen.unshift(row);
      expect(await rows()).toEqual(seen);
    }
  });

  it('an administrator reads no names of tokens of those above, and lifts no limits that these have set', async () => {
    const { context } = app;
    const mine = 'version: 1\nname: of-root\ntokens: [{ user: root, name: private-name }]';
    await root.post('/api/as_code/apply', { files: [{ name: 'root.yaml', text: mine }] });
    const others = (more: object) =>
      admin.post('/api/as_code/plan', { name: 'of-root', files: [{ name: 'a.yaml', text: 'version: 1' }], ...more });
    for (const answer of [await others({}), await others({ prune: true })]) expect(JSON.stringify(answer)).not.toContain('private-name');
    expect(await others({ prune: true })).toMatchObject({ code: 'document_invalid' });
    expect((await root.post('/api/as_code/release', { by: 'of-root' })).data).toBe(1);

    const [token] = (await admin.post('/api/token/', { name: 'limited', remain_quota: 500 })).data;
    const held = { unlimited_quota: false, model_limits_enabled: true, model_limits: 'gpt-4o', held: ['quota', 'models'] };
    expect(await root.put(`/api/user_token/${token.id}`, held)).toMatchObject({ success: true });
    const text = (rest: string) => `version: 1\nname: own\ntokens: [{ user: keeper, name: limited, ${rest} }]`;
    const applied = (rest: string, client = admin) =>
      client.post('/api/as_code/apply', { files: [{ name: 'own.yaml', text: text(rest) }] });
    for (const rest of ['unlimited_quota: true, models: [gpt-4o]', 'models: [gpt-4o, o3]'])
      expect(await applied(rest), rest).toMatchObject({ success: false, code: 'document_invalid' });
    expect(await applied('models: [gpt-4o], session_budget: 7')).toMatchObject({ success: true });
    expect(await applied('models: [gpt-4o, o3]', root)).toMatchObject({ success: true });
    expect(await context.db.collection('tokens').get(token.id)).toMatchObject({
      session_budget: 0,
      model_limits: 'gpt-4o,o3',
      held: 'quota,models',
    });
    await root.post('/api/as_code/release', { by: 'own' });
  });

  it('an administrator changes, marks or deletes no existing token of somebody who is not below', async () => {
    const { context } = app;
    const chief = await context.db.collection('users').first({ username: 'chief' });
    for (const [user, owner] of [
      ['root', root],
      ['chief', await app.as({ id: chief?.id ?? 0 })],
    ] as const) {
      const [token] = (await owner.post('/api/token/', { name: 'theirs', unlimited_quota: true })).data;
      const before = await context.db.collection('tokens').get(token.id);
      for (const rest of ['key: "${KEY}"', 'status: disabled', 'models: [a]', 'unlimited_quota: true']) {
        const text = `version: 1\nname: taken\ntokens: [{ user: ${user}, name: theirs, ${rest} }]`;
        const answer = await admin.post('/api/as_code/apply', { files: [{ name: 'taken.yaml', text }], secrets: { KEY: 'k'.repeat(48) } });
        expect(answer, rest).toMatchObject({ code: 'document_invalid' });
      }
      expect(await context.db.collection('tokens').get(token.id)).toEqual(before);
    }
    const text = 'version: 1\nname: taken\ntokens: [{ user: chief, name: theirs, models: [secret-model] }]';
    expect(await root.post('/api/as_code/apply', { files: [{ name: 'taken.yaml', text }] })).toMatchObject({ success: true });
    const changes = async (client: TestClient) => JSON.stringify((await client.get('/api/audit_log/?kind=token')).data);
    expect(await changes(root)).toContain('secret-model');
    expect(await changes(admin)).not.toContain('secret-model');
    await root.post('/api/as_code/release', { by: 'taken' });
  });

  it('two applies at once: one is refused; an edit of somebody else between plan and apply is noticed', async () => {
    const { context } = app;
    const held = Promise.withResolvers<void>();
    const text = 'version: 1\nname: held\ntokens: [{ user: ci, name: held }]';
    const reached = Promise.withResolvers<void>();
    const onKey = (): Promise<void> => {
      reached.resolve();
      return held.promise;
    };
    const first = actingAsJob('apply', () => applyDocument(context, request(text), { onKey }));
    await reached.promise;
    const second = await actingAsJob('apply', () => applyDocument(context, request(text))).catch((failure: unknown) => failure);
    expect(second).toMatchObject({ code: 'apply_running' });
    await root.put('/api/option/', { key: 'Footer', value: 'mine' });
    held.resolve();
    await first;
    const edited = 'version: 1\nname: held\ntokens: [{ user: ci, name: held, session_budget: 5 }, { user: ci, name: new }]';
    const stopped = actingAsJob('apply', () =>
      applyDocument(context, request(edited.replace('[{', '[{ user: ci, name: first }, {')), {
        // The first new key comes before the edit of `held`.
        onKey: async () => {
          await context.db.collection('tokens').patch({ name: 'held' }, { set: { name: 'held' }, increment: { revision: 1 } });
        },
      }),
    );
    await expect(stopped).rejects.toMatchObject({ code: 'apply_stopped' });
    // What was left undone is done by the next one.
    const resumed = await apply(context, edited.replace('[{', '[{ user: ci, name: first }, {'));
    expect(resumed.changes.map(({ name }) => name)).toEqual(['ci/held', 'ci/new']);
  });

  it('an export without secrets, applied to an empty database, is exported again as it was', async () => {
    const { context } = app;
    await context.db.collection('users').patch({ username: 'ci' }, { set: { group: 'gold' } });
    // A key that was deleted is not given to a token again.
    expect((await problems(plan(context, whole))).join()).toContain('35:5');
    secrets['CI_KEY'] = 'new'.repeat(16);
    await apply(context, whole);
    const exported = await exportDocument(context);
    for (const secret of Object.values(secrets)) expect(exported.text).not.toContain(secret);
    await using other = await createTestApp(engine);
    await other.setup();
    await other.createUser({ username: 'ci', group: 'gold' });
    const given = Object.fromEntries(
      exported.references.map((name) => [
        name,
        name.includes('PROXY') ? 'http://a:b@c.example' : `${name}-${'x'.repeat(32)}`.replaceAll('_', '-'),
      ]),
    );
    const read = (files: readonly DocumentFile[]) => readDocument(files, { value: (name) => given[name] });
    await apply(other.context, exported.text, { read });
    const again = await exportDocument(other.context);
    expect(again.text).toBe(exported.text);
    expect(await plan(other.context, exported.text, { read })).toMatchObject({ changes: [] });
  });
});
