// Files that callers leave at a provider: whose they are, how they are named there, how many there may be, and prompts that name them.
import OpenAI, { toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import { mostReaders } from '#server/objects/pass-file.ts';
import { sweepFiles } from '#server/slices/files/sweep-files.ts';
import { createToken } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import { failureOf as failed } from '#tests/support/failure-of.ts';
import { type FakeFiles, startFakeFiles } from '#tests/support/fake-files.ts';
import { createScene, type RelayScene, type SceneOptions, testModel } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

const failureOf = async (requesting: PromiseLike<unknown>): Promise<{ status: unknown; code: unknown }> => {
  const failure = await failed(requesting);
  return failure instanceof OpenAI.APIError ? { status: failure.status, code: failure.code } : { status: failure, code: undefined };
};
const text = Buffer.from('Tides come in twice a day.\n'.repeat(10));
const spoken = JSON.stringify({ formats: ['openai-chat', 'openai-responses'] });
const day = 86_400;

describe.each(engines)('files on $kind', (engine) => {
  async function open(options: SceneOptions = {}): Promise<{ scene: RelayScene; provider: FakeFiles }> {
    const opened: FakeFiles[] = [];
    const front = async (url: string) => {
      const made = await startFakeFiles(url);
      opened.push(made);
      return made;
    };
    const settings = { FilesPerUser: '5', FileMegabytesPerUser: '4', RetryTimes: '1', ...options.settings };
    const scene = await createScene(engine, { ...options, front, settings });
    const [provider] = opened;
    if (provider === undefined) throw new Error('There is no provider');
    return { scene, provider };
  }
  const sdk = ({ app, key }: Pick<RelayScene, 'app' | 'key'>) => new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: key, maxRetries: 0 });
  const file = (name = 'tide.txt', bytes = text) => toFile(bytes, name, { type: 'text/plain' });
  async function someoneElse(scene: RelayScene): Promise<OpenAI> {
    const { key } = await createToken(scene.app.context, (await scene.app.createUser({ quota: 1_000_000 })).id);
    return sdk({ app: scene.app, key });
  }

  test('one is stored, told, listed, read and deleted under a name of ours', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const { files } = sdk(scene);
    const stored = await files.create({ file: await file(), purpose: 'user_data', expires_after: { anchor: 'created_at', seconds: 7200 } });
    expect(stored).toMatchObject({ object: 'file', bytes: text.length, filename: 'tide.txt', purpose: 'user_data' });
    expect(stored.id).toMatch(/^file-[0-9a-zA-Z]{24}$/);
    expect((stored.expires_at ?? 0) - stored.created_at).toBe(7200);
    expect([...provider.files.values()]).toMatchObject([{ filename: 'tide.txt', purpose: 'user_data', seconds: '7200', bytes: text }]);
    expect(await files.retrieve(stored.id)).toEqual(stored);
    expect((await files.list()).data).toEqual([stored]);
    expect(Buffer.from(await (await files.content(stored.id)).arrayBuffer()).equals(text)).toBe(true);
    expect(await files.delete(stored.id)).toEqual({ id: stored.id, object: 'file', deleted: true });
    await until(() => provider.files.size === 0);
    expect((await files.list()).data).toEqual([]);
    expect((await failureOf(files.retrieve(stored.id))).status).toBe(404);
    await until(async () => (await scene.app.context.db.collection('files').count({}, 1)) === 0);
    await scene.checkBooks();
  });

  test("errors are told to Anthropic's packages in their form, whatever the address", async () => {
    const { scene } = await open({ settings: { BatchesPerUser: '5' } });
    await using _scene = scene;
    const headers = { 'x-api-key': scene.key, 'anthropic-version': '2023-06-01' };
    for (const path of ['/v1/files/file-none', '/v1/batches/batch_none', '/v1/uploads/upload_none', '/v1/vector_stores/vs_none']) {
      const { status, body } = await fetch(`${scene.app.origin}${path}`, { headers }).then(async (response) => ({
        status: response.status,
        body: await response.json(),
      }));
      expect({ path, status, body }).toMatchObject({
        body: { type: 'error', error: { type: expect.any(String), message: expect.any(String) } },
      });
      expect([404, 405, 501]).toContain(status);
    }
    // Others have them in OpenAI's.
    const other = await fetch(`${scene.app.origin}/v1/files/file-none`, { headers: { authorization: `Bearer ${scene.key}` } });
    expect(Object.keys(await other.json())).toEqual(['error']);
  });

  test('a large one goes there and back as it was', async () => {
    const { scene } = await open();
    await using _scene = scene;
    const { files } = sdk(scene);
    const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7 + (index >> 9)) % 256));
    const { id } = await files.create({ file: await file('large.pdf', bytes), purpose: 'user_data' });
    expect(Buffer.from(await (await files.content(id)).arrayBuffer()).equals(bytes)).toBe(true);
    await until(() => scene.app.context.bodies.spool.bytes === 0);
  });

  test('nobody reaches those of others, by any name', async () => {
    const { scene, provider } = await open({ channels: [{ setting: spoken }] });
    await using _scene = scene;
    const { id } = await sdk(scene).files.create({ file: await file(), purpose: 'user_data' });
    const [theirs = ''] = provider.files.keys();
    const other = await someoneElse(scene);
    expect((await other.files.list()).data).toEqual([]);
    const before = provider.requested.length;
    const { key } = await createToken(scene.app.context, (await scene.app.createUser({ quota: 1_000_000 })).id);
    const ask = async (method: string, path: string) =>
      (await fetch(`${scene.app.origin}/v1/files${path}`, { method, headers: { authorization: `Bearer ${key}` } })).status;
    for (const name of [id, theirs, '%2e%2e', `${id}%2fcontent`, 'file-', `${id.slice(0, -1)}%25`, '%00']) {
      for (const [method, verb] of [
        ['GET', ''],
        ['GET', '/content'],
        ['DELETE', ''],
      ] as const)
        expect(await ask(method, `/${name}${verb}`), `${method} ${name}`).toBe(404);
      expect(await ask('GET', `?after=${name}`), name).toBe(404);
    }
    for (const name of [id, theirs]) {
      const input = [{ role: 'user' as const, content: [{ type: 'input_file' as const, file_id: name }] }];
      expect(await failureOf(other.responses.create({ model: testModel, input }))).toMatchObject({
        status: 400,
        code: 'account_object_refused',
      });
      const messages = [{ role: 'user' as const, content: [{ type: 'file' as const, file: { file_id: name } }] }];
      const refused = await failureOf(other.chat.completions.create({ model: testModel, messages }));
      expect(refused).toMatchObject({ status: 400, code: 'account_object_refused' });
    }
    expect((await failureOf(sdk(scene).files.retrieve(theirs))).status).toBe(404);
    expect(provider.requested).toHaveLength(before);
    expect(provider.files.size).toBe(1);
    expect(scene.upstream.requests).toEqual([]);
  });

  test('a prompt that names one goes to the channel where it lies, with the name that it has there', async () => {
    const { scene, provider } = await open({ channels: [{ setting: spoken }] });
    await using _scene = scene;
    const [lies = 0] = scene.channelIds;
    const { id } = await sdk(scene).files.create({ file: await file(), purpose: 'user_data' });
    const [theirs = ''] = provider.files.keys();
    // One that everybody would be sent to.
    await scene.addChannel({ priority: 100, base_url: scene.upstream.url, key: 'sk-another' });
    const chat = { model: testModel, messages: [{ role: 'user' as const, content: [{ type: 'file' as const, file: { file_id: id } }] }] };
    await sdk(scene).chat.completions.create(chat);
    for await (const _event of await sdk(scene).chat.completions.create({ ...chat, stream: true })) continue;
    const input = [{ role: 'user' as const, content: [{ type: 'input_file' as const, file_id: id }] }];
    const response = await sdk(scene).responses.create({ model: testModel, input });
    for (const request of scene.upstream.requests) {
      expect(request.text).toContain(`"file_id":"${theirs}"`);
      expect(request.text).not.toContain(id);
    }
    expect(scene.upstream.requests).toHaveLength(3);
    expect((await scene.logs(3)).map(({ channel_id: channel }) => channel)).toEqual([lies, lies, lies]);
    // Another channel serves it, and has no such file.
    await scene.addChannel({ models: 'other-model' });
    const elsewhere = sdk(scene).responses.create({ model: 'other-model', input });
    expect(await failureOf(elsewhere)).toMatchObject({ status: 400, code: 'named_file_out_of_reach' });
    // The stored conversation has the caller's id of it, and can be continued.
    const items = await sdk(scene).responses.inputItems.list(response.id);
    expect(JSON.stringify(items.data)).toContain(id);
    expect(JSON.stringify(items.data)).not.toContain(theirs);
    await sdk(scene).responses.create({ model: testModel, input: 'And then?', previous_response_id: response.id });
    expect(scene.upstream.requests[3]?.text).toContain(`"file_id":"${theirs}"`);
    await scene.checkBooks();
  });

  test('a prompt that names one is counted at its channel by the provider, or here with the contents of the file', async () => {
    const { scene, provider } = await open({ channels: [{ setting: spoken }] });
    await using _scene = scene;
    const { id } = await sdk(scene).files.create({ file: await file('long.txt', Buffer.alloc(40_000, 'tide ')), purpose: 'user_data' });
    const [theirs = ''] = provider.files.keys();
    // Another channel that every call would be sent to.
    await scene.addChannel({ priority: 100, base_url: scene.upstream.url, key: 'sk-another' });
    const input = [{ role: 'user' as const, content: [{ type: 'input_file' as const, file_id: id }] }];
    const count = async () => (await sdk(scene).responses.inputTokens.count({ model: testModel, input })).input_tokens;
    await count();
    expect(scene.upstream.requests).toHaveLength(1);
    expect(scene.upstream.requests[0]?.text).toContain(`"file_id":"${theirs}"`);
    expect(scene.upstream.requests[0]?.text).not.toContain(id);
    scene.upstream.behave({ status: 500 });
    expect(await count()).toBeGreaterThan(5000);
  });

  test('what one is worth is reserved before anything is sent', async () => {
    const { scene } = await open({ tokenQuota: 400_000, settings: { ModelRatio: JSON.stringify({ [testModel]: 1 }) } });
    await using _scene = scene;
    const { id } = await sdk(scene).files.create({ file: await file('long.txt', Buffer.alloc(2_000_000, 'tide ')), purpose: 'user_data' });
    const refused = await failureOf(
      sdk(scene).responses.create({ model: testModel, input: [{ role: 'user', content: [{ type: 'input_file', file_id: id }] }] }),
    );
    expect(refused).toMatchObject({ status: 403 });
    expect(scene.upstream.requests).toEqual([]);
    await scene.checkBooks();
  });

  test('a user has so many and so much, also of several at once', async () => {
    const { scene, provider } = await open({ settings: { FilesPerUser: '2', FileMegabytesPerUser: '1' } });
    await using _scene = scene;
    const { files } = sdk(scene);
    const large = await failureOf(files.create({ file: await file('a.txt', Buffer.alloc(1_000_001, 'a')), purpose: 'user_data' }));
    expect(large).toMatchObject({ status: 403, code: 'files_full' });
    const made = await Promise.allSettled([1, 2, 3, 4].map(async () => files.create({ file: await file(), purpose: 'user_data' })));
    expect(made.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(2);
    expect(provider.files.size).toBeLessThanOrEqual(2);
    for (const { id } of (await files.list()).data) await files.delete(id);
    await until(() => provider.files.size === 0);
    await files.create({ file: await file(), purpose: 'user_data' });
    // Others have places of their own.
    await (await someoneElse(scene)).files.create({ file: await file(), purpose: 'user_data' });
    expect(provider.files.size).toBe(2);
  });

  test('a user reads so many at a time, and others read theirs', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const [{ files }, others] = [sdk(scene), (await someoneElse(scene)).files];
    const [{ id }, theirs] = [
      await files.create({ file: await file(), purpose: 'user_data' }),
      await others.create({ file: await file(), purpose: 'user_data' }),
    ];
    const held = Promise.withResolvers<void>();
    provider.holdContents(held.promise);
    const requested = () => provider.requested.filter((one) => one.endsWith('/content')).length;
    const readers = Array.from({ length: mostReaders.perOwner }, async () => (await files.content(id)).text());
    await until(() => requested() === mostReaders.perOwner);
    const refused = await failureOf(files.content(id, { timeout: 3000 }));
    const other = others.content(theirs.id);
    await until(() => requested() > mostReaders.perOwner);
    held.resolve();
    expect(refused).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(await Promise.all(readers)).toEqual(readers.map(() => text.toString()));
    expect(await (await other).text()).toBe(text.toString());
    // Their places are free again, also after one that could not be read.
    for (let index = 0; index <= mostReaders.perOwner; index += 1) {
      provider.failures.push(500);
      expect((await failureOf(files.content(id))).status).toBe(502);
    }
    for (let index = 0; index <= mostReaders.perOwner; index += 1) expect(await (await files.content(id)).text()).toBe(text.toString());
  });

  test('lists are paged by the vendor’s rules', async () => {
    const { scene } = await open();
    await using _scene = scene;
    const { files } = sdk(scene);
    const made: string[] = [];
    for (let index = 0; index < 4; index += 1) {
      made.push((await files.create({ file: await file(`${index}.txt`), purpose: index === 3 ? 'vision' : 'user_data' })).id);
      if (index % 2 === 0) scene.app.clock.advance(1000);
    }
    const ascending: string[] = [];
    for await (const { id } of files.list({ limit: 1, order: 'asc' })) ascending.push(id);
    expect(ascending.toSorted()).toEqual(made.toSorted());
    expect(ascending[0]).toBe(made[0]);
    const descending: string[] = [];
    for await (const { id } of files.list({ limit: 3 })) descending.push(id);
    expect(descending).toEqual(ascending.toReversed());
    expect((await files.list({ purpose: 'vision' })).data.map(({ id }) => id)).toEqual([made[3]]);
    expect((await failureOf(Promise.resolve(files.list({ limit: 0 })))).status).toBe(400);
  });

  test('another channel is asked when one fails, and a file that nobody takes leaves nothing', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    await scene.addChannel({ priority: -1, base_url: provider.url, key: provider.channel.key });
    const { files } = sdk(scene);
    provider.failures.push(500);
    const stored = await files.create({ file: await file(), purpose: 'user_data' });
    expect(provider.requested).toEqual(['POST /v1/files', 'POST /v1/files']);
    const record = await scene.app.context.db.collection('files').get(stored.id);
    expect(record?.channel_id).not.toBe(scene.channelIds[0]);
    provider.failures.push(503, 503);
    const refused = await failureOf(files.create({ file: await file(), purpose: 'user_data' }));
    expect(refused.status).toBeGreaterThanOrEqual(500);
    expect((await files.list()).data).toHaveLength(1);
    expect(await scene.app.context.db.collection('files').count({}, 10)).toBe(1);
  });

  test('one whose time is over, whose owner deleted it or is gone, goes at the provider, too', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const { context } = scene.app;
    const { files } = sdk(scene);
    const deleted = await files.create({ file: await file(), purpose: 'user_data' });
    await files.create({ file: await file(), purpose: 'user_data' });
    provider.failures.push(500);
    await files.delete(deleted.id);
    await until(() => provider.failures.length === 0);
    expect(provider.files.size).toBe(2);
    await sweepFiles(context);
    expect(provider.files.size).toBe(1);
    scene.app.clock.advance(31 * day * 1000);
    expect((await files.list()).data).toEqual([]);
    await sweepFiles(context);
    expect(provider.files.size).toBe(0);
    expect(await context.db.collection('files').count({}, 1)).toBe(0);
    // An upload in progress, of an unknown process, counts for a day.
    const left = { user_id: scene.user.id, channel_id: 1, key: '', upstream_id: '', filename: 'a', purpose: 'vision', bytes: 1 };
    const created = Math.floor(context.now() / 1000);
    await context.db
      .collection('files')
      .insert({ ...left, id: 'file-left', created_at: created, expires_at: created + day, state: 'sending' });
    await sweepFiles(context);
    expect(await context.db.collection('files').count({}, 2)).toBe(1);
    scene.app.clock.advance(2 * day * 1000);
    await sweepFiles(context);
    expect(await context.db.collection('files').count({}, 1)).toBe(0);
  });

  test('a provider that says nothing is asked to delete once a run, and 204 is as good as 200', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const { files } = sdk(scene);
    for (const name of ['a', 'b', 'c']) await files.create({ file: await file(name), purpose: 'user_data' });
    scene.app.clock.advance(31 * day * 1000);
    const requested = provider.requested.length;
    provider.failures.push(0, 0, 0);
    await sweepFiles(scene.app.context, { runMs: 60_000, questionMs: 500 });
    expect(provider.requested).toHaveLength(requested + 1);
    provider.failures.splice(0, 3, 204);
    await sweepFiles(scene.app.context);
    expect(provider.files.size).toBe(1);
    expect(await scene.app.context.db.collection('files').count({}, 1)).toBe(0);
  });

  test('what cannot be meant is refused by its name, and nothing is sent', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const post = async (fields: readonly (readonly [string, string | Blob, string?])[]) => {
      const form = new FormData();
      for (const [name, value, filename] of fields)
        if (typeof value === 'string') form.append(name, value);
        else form.append(name, value, filename);
      const response = await fetch(`${scene.app.origin}/v1/files`, {
        method: 'POST',
        headers: { authorization: `Bearer ${scene.key}` },
        body: form,
      });
      return [response.status, (await response.json()).error.param];
    };
    const blob = new Blob([new Uint8Array(text)]);
    const whole = ['file', blob, 'a.txt'] as const;
    expect(await post([['purpose', 'user_data']])).toEqual([400, 'file']);
    expect(
      await post([
        ['purpose', 'user_data'],
        ['file', new Blob([]), 'a.txt'],
      ]),
    ).toEqual([400, 'file']);
    expect(await post([whole])).toEqual([400, 'purpose']);
    expect(await post([['purpose', 'batch'], whole])).toEqual([400, 'purpose']);
    expect(await post([['purpose', 'user_data'], whole, whole])).toEqual([400, 'file']);
    expect(
      await post([
        ['purpose', 'user_data'],
        ['file', blob, 'x'.repeat(300)],
      ]),
    ).toEqual([400, 'filename']);
    const anchored = ['expires_after[anchor]', 'created_at'] as const;
    expect(await post([['purpose', 'user_data'], anchored, ['expires_after[seconds]', '1'], whole])).toEqual([
      400,
      'expires_after[seconds]',
    ]);
    expect(provider.requested).toEqual([]);
  });

  test('there are none where the site has none, and none for who cannot pay', async () => {
    const { scene } = await open({ settings: { FilesPerUser: '0' } });
    await using _scene = scene;
    expect(await failureOf(Promise.resolve(sdk(scene).files.list()))).toMatchObject({ status: 501, code: 'verb_unknown' });
    const { scene: poor, provider } = await open({ quota: 0 });
    await using _poor = poor;
    expect((await failureOf(sdk(poor).files.create({ file: await file(), purpose: 'user_data' }))).status).toBe(403);
    expect(provider.requested).toEqual([]);
  });
});
