// Files that callers send in parts.
import { createHash } from 'node:crypto';
import OpenAI, { toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import { sweepFiles } from '#server/slices/files/sweep-files.ts';
import { createToken } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import { failureOf as failed } from '#tests/support/failure-of.ts';
import { type FakeFiles, startFakeFiles } from '#tests/support/fake-files.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';

const failureOf = async (requesting: PromiseLike<unknown>): Promise<{ status: unknown; param: unknown }> => {
  const failure = await failed(requesting);
  if (!(failure instanceof OpenAI.APIError)) throw new Error('It did not fail as calls do', { cause: failure });
  return { status: failure.status, param: failure.param };
};
const [one, two] = [Buffer.alloc(300_000, 'ebb '), Buffer.alloc(100_000, 'flow')];
const whole = Buffer.concat([one, two]);
const requested = { filename: 'tide.txt', purpose: 'user_data' as const, bytes: whole.length, mime_type: 'text/plain' };

describe.each(engines)('uploads on $kind', (engine) => {
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
  const part = async (bytes: Buffer) => ({ data: await toFile(bytes, 'part') });
  async function someoneElse(scene: RelayScene): Promise<OpenAI> {
    const { key } = await createToken(scene.app.context, (await scene.app.createUser({ quota: 1_000_000 })).id);
    return sdk({ app: scene.app, key });
  }

  test('parts become a file of their caller, in the order that it names', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const { uploads, files } = sdk(scene);
    const upload = await uploads.create({ ...requested, expires_after: { anchor: 'created_at', seconds: 7200 } });
    expect(upload).toMatchObject({ object: 'upload', status: 'pending', bytes: whole.length, filename: 'tide.txt', purpose: 'user_data' });
    expect(upload.id).toMatch(/^upload_[0-9a-zA-Z]{24}$/);
    expect(upload.expires_at - upload.created_at).toBe(3600);
    // It is no file yet.
    expect((await files.list()).data).toEqual([]);
    const second = await uploads.parts.create(upload.id, await part(two));
    const first = await uploads.parts.create(upload.id, await part(one));
    expect(first).toMatchObject({ object: 'upload.part', upload_id: upload.id });
    expect(first.id).not.toContain('theirs');
    const md5 = createHash('md5').update(whole).digest('hex');
    const completed = await uploads.complete(upload.id, { part_ids: [first.id, second.id], md5 });
    expect(completed).toMatchObject({
      id: upload.id,
      status: 'completed',
      file: { object: 'file', bytes: whole.length, purpose: 'user_data' },
    });
    const id = completed.file?.id ?? '';
    expect(Buffer.from(await (await files.content(id)).arrayBuffer()).equals(whole)).toBe(true);
    expect((await files.list()).data.map((file) => file.id)).toEqual([id]);
    expect([...provider.files.values()]).toMatchObject([{ filename: 'tide.txt', seconds: '7200' }]);
    expect(await failureOf(uploads.complete(upload.id, { part_ids: [first.id] }))).toMatchObject({ status: 404 });
    expect(scene.app.context.bodies.spool.bytes).toBe(0);
  });

  test('one that is cancelled, or whose hour is over, takes no more parts', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const { uploads } = sdk(scene);
    const upload = await uploads.create(requested);
    expect(await uploads.cancel(upload.id)).toMatchObject({ id: upload.id, status: 'cancelled' });
    expect(provider.uploads.size).toBe(0);
    expect(await failureOf(uploads.parts.create(upload.id, await part(one)))).toMatchObject({ status: 404 });
    expect(await scene.app.context.db.collection('files').count({}, 1)).toBe(0);
    const late = await uploads.create(requested);
    scene.app.clock.advance(3_601_000);
    expect(await failureOf(uploads.parts.create(late.id, await part(one)))).toMatchObject({ status: 404 });
    // It counts no longer, either.
    scene.app.clock.advance(3_601_000);
    await sweepFiles(scene.app.context);
    expect(await scene.app.context.db.collection('files').count({}, 1)).toBe(0);
  });

  test('nobody reaches those of others, nor mixes parts', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const { uploads } = sdk(scene);
    const upload = await uploads.create(requested);
    const mine = await uploads.parts.create(upload.id, await part(one));
    const other = await someoneElse(scene);
    const theirs = await other.uploads.create(requested);
    const count = provider.requested.length;
    for (const name of [upload.id, 'upload_theirs0', upload.id.replace('upload_', 'file-')]) {
      expect(await failureOf(other.uploads.parts.create(name, await part(one)))).toMatchObject({ status: 404 });
      expect(await failureOf(other.uploads.cancel(name))).toMatchObject({ status: 404 });
      expect(await failureOf(other.uploads.complete(name, { part_ids: [mine.id] }))).toMatchObject({ status: 404 });
    }
    for (const id of [mine.id, 'part_theirs0', 'part_', ''])
      expect(await failureOf(other.uploads.complete(theirs.id, { part_ids: [id] }))).toMatchObject({ status: 400, param: 'part_ids' });
    expect(provider.requested).toHaveLength(count);
  });

  test('no more comes than was told at the beginning, which counts from then on', async () => {
    const { scene, provider } = await open({ settings: { FileMegabytesPerUser: '1' } });
    await using _scene = scene;
    const { uploads } = sdk(scene);
    expect(await failureOf(uploads.create({ ...requested, bytes: 1_000_001 }))).toMatchObject({ status: 403 });
    const upload = await uploads.create({ ...requested, bytes: 400_000 });
    expect(await failureOf(uploads.create({ ...requested, bytes: 700_000 }))).toMatchObject({ status: 403 });
    const sent = await Promise.allSettled(
      [1, 2, 3].map(async () => uploads.parts.create(upload.id, await part(Buffer.alloc(200_000, 'a')))),
    );
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await failureOf(uploads.parts.create(upload.id, await part(Buffer.from('a'))))).toMatchObject({ status: 400, param: 'data' });
    expect([...provider.uploads.values()][0]?.parts.size).toBe(2);
    // A part that did not arrive may be sent again.
    const again = await uploads.create({ ...requested, bytes: 100_000 });
    provider.failures.push(500);
    expect((await failureOf(uploads.parts.create(again.id, await part(two)))).status).toBeGreaterThanOrEqual(500);
    await uploads.parts.create(again.id, await part(two));
  });

  test('what cannot be meant is refused by its name, and an upload that nobody takes leaves nothing', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const { uploads } = sdk(scene);
    for (const [fields, param] of [
      [{ bytes: 0 }, 'bytes'],
      [{ bytes: 9e9 }, 'bytes'],
      [{ filename: '' }, 'filename'],
      [{ filename: 'a\u0000' }, 'filename'],
      [{ purpose: 'fine-tune' }, 'purpose'],
      [{ mime_type: 'text' }, 'mime_type'],
      [{ expires_after: { anchor: 'created_at', seconds: 5 } }, 'expires_after.seconds'],
    ] as const)
      expect(await failureOf(uploads.create({ ...requested, ...fields })), param).toMatchObject({ status: 400, param });
    expect(provider.requested).toEqual([]);
    provider.failures.push(503);
    expect((await failureOf(uploads.create(requested))).status).toBeGreaterThanOrEqual(500);
    expect(await scene.app.context.db.collection('files').count({}, 1)).toBe(0);
  });

  test('without the setting there are none', async () => {
    const { scene } = await open({ settings: { FilesPerUser: '0' } });
    await using _scene = scene;
    expect(await failureOf(sdk(scene).uploads.create(requested))).toMatchObject({ status: 501 });
  });
});
