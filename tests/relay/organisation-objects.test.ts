// What keys of an organisation store belongs to the member whose keys they are, or to the service accounts: every kind of stored object.
import { describe, expect, it } from 'vitest';
import type { Records } from '#server/db/all-records.ts';
import { findFile, listFiles } from '#server/objects/file-store.ts';
import type { ObjectOwner } from '#server/tokens/object-owner.ts';
import { findBatch, listBatches } from '#server/slices/batches/batch-store.ts';
import { findCache, listCaches } from '#server/slices/context-caches/cache-store.ts';
import { findJob, listJobs } from '#server/slices/fine-tuning/job-store.ts';
import { deleteModel } from '#server/slices/fine-tuning/tuned-models.ts';
import { findStore, listStores } from '#server/slices/vector-stores/store-records.ts';
import { findVideo, listVideos } from '#server/slices/videos/find-video.ts';
import { findTask, findTasks } from '#server/tasks/find-task.ts';
import { addMember } from '#server/accounts/members.ts';
import { buildTask } from '#tests/support/build-task.ts';
import { engines } from '#tests/support/engines.ts';
import { startFakeStores } from '#tests/support/fake-stores.ts';
import { createScene, type RelayScene, type SceneOptions, testModel } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

const path = '/api/organisation/';
const options: SceneOptions = {
  front: startFakeStores,
  settings: { FilesPerUser: '9', VectorStoresPerUser: '5', VectorStorePrice: '1', SelfUseModeEnabled: 'true' },
};

async function buildOrganisation(scene: RelayScene) {
  const person = await scene.app.createUser({ quota: 50_000_000 });
  const owner = await scene.app.as(person);
  const { id } = (await owner.post(path, { name: 'Harbour Labs', ref: 'reference-found' })).data as { id: number };
  await owner.post(`${path}${id}/fund`, { amount: 40_000_000, ref: 'reference-fund' });
  const behalf = { headers: { 'openai-organization': `org-${id}` } };
  const keyOf = async (client: typeof owner, fields: object = {}) =>
    (await client.post('/api/token/', { name: 'app', unlimited_quota: true, ...fields }, behalf)).data[0].key as string;
  const join = async () => {
    const user = await scene.app.createUser();
    await addMember(scene.app.context, id, { user_id: user.id, role: 'developer', team_id: 0, source: 'invite', invited_by: person.id });
    return scene.app.as(user);
  };
  const [ann, ben] = [await join(), await join()];
  const keys = {
    ann: await keyOf(ann),
    second: await keyOf(ann),
    ben: await keyOf(ben),
    owner: await keyOf(owner),
    service: await keyOf(owner, { is_service: true }),
    other: await keyOf(owner, { is_service: true }),
  };
  return { id, owner, ann, ben, keys };
}

type Called = { status: number; body: Record<string, unknown> };

function callerOf({ app }: RelayScene) {
  return async (key: string, method: string, to: string, body?: object | FormData): Promise<Called> => {
    const isForm = body instanceof FormData;
    const headers = { authorization: `Bearer sk-${key}`, ...(isForm ? {} : { 'content-type': 'application/json' }) };
    const sent = body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) };
    const response = await fetch(app.origin + to, { method, headers, ...sent });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : { text } };
  };
}

function form(): FormData {
  const fields = new FormData();
  fields.set('purpose', 'assistants');
  fields.set('file', new Blob(['The tide turns at noon.']), 'tide.txt');
  return fields;
}

/** A record with the fields that finding it needs. */
function stored<Name extends keyof Records>(fields: object): Records[Name] {
  return fields as Records[Name];
}

describe.each(engines)('objects of organisations on $kind', (engine) => {
  it('responses, conversations, files and vector stores of a member are out of the reach of others', async () => {
    await using scene = await createScene(engine, options);
    const { keys } = await buildOrganisation(scene);
    const call = callerOf(scene);
    const idOf = ({ status, body }: Called): string => {
      expect(status, JSON.stringify(body)).toBe(200);
      return String(body['id']);
    };
    const answer = { model: testModel, input: 'Say hello' };
    for (const [own, same, strangers] of [
      [keys.ann, keys.second, [keys.ben, keys.owner, keys.service]],
      [keys.service, keys.other, [keys.ann, keys.ben, keys.owner]],
    ] as const) {
      const first = await call(own, 'POST', '/v1/responses', answer);
      const response = idOf(first);
      const conversation = idOf(
        await call(own, 'POST', '/v1/conversations', { items: [{ type: 'message', role: 'user', content: 'My secret is 7' }] }),
      );
      const interaction = idOf(await call(own, 'POST', '/v1beta/interactions', { model: testModel, input: 'Hi' }));
      const file = idOf(await call(own, 'POST', '/v1/files', form()));
      const store = idOf(await call(own, 'POST', '/v1/vector_stores', { name: 'tides', file_ids: [file] }));
      const item = String((first.body['output'] as { id: string }[])[0]?.id);
      const reads = [
        ['GET', `/v1/responses/${response}`],
        ['GET', `/v1/responses/${response}/input_items`],
        ['POST', '/v1/responses', { ...answer, previous_response_id: response }],
        ['POST', '/v1/responses', { model: testModel, input: [{ type: 'item_reference', id: item }] }],
        ['GET', `/v1/conversations/${conversation}`],
        ['GET', `/v1/conversations/${conversation}/items`],
        ['POST', `/v1/conversations/${conversation}`, { metadata: { by: 'me' } }],
        ['POST', '/v1/responses', { ...answer, conversation }],
        ['GET', `/v1beta/interactions/${interaction}`],
        ['GET', `/v1/files/${file}`],
        ['GET', `/v1/files/${file}/content`],
        ['GET', `/v1/vector_stores/${store}`],
        ['GET', `/v1/vector_stores/${store}/files`],
        ['POST', `/v1/vector_stores/${store}/search`, { query: 'tide' }],
      ] as const;
      const ends = [`/v1/responses/${response}`, `/v1/conversations/${conversation}`, `/v1/vector_stores/${store}`, `/v1/files/${file}`];
      const listed = async (key: string) => {
        const lists = [await call(key, 'GET', '/v1/files'), await call(key, 'GET', '/v1/vector_stores')];
        return lists.map(({ body }) => (body['data'] as { id: string }[]).map(({ id }) => id));
      };
      for (const stranger of strangers) {
        for (const [method, to, body] of reads) {
          const { status, body: text } = await call(stranger, method, to, body);
          expect([to, status], JSON.stringify(text)).toEqual([to, to === '/v1/responses' ? expect.toBeOneOf([400, 404]) : 404]);
          expect(JSON.stringify(text)).not.toContain('secret');
        }
        for (const to of ends) expect([to, (await call(stranger, 'DELETE', to)).status]).toEqual([to, 404]);
        expect((await call(stranger, 'POST', '/v1/vector_stores', { file_ids: [file] })).status).toBe(404);
        expect((await listed(stranger)).flat()).not.toEqual(expect.arrayContaining([file]));
      }
      for (const [method, to, body] of reads) {
        const { status, body: text } = await call(same, method, to, body);
        expect([to, status], JSON.stringify(text)).toEqual([to, 200]);
      }
      expect(await listed(same)).toEqual([[file], [store]]);
      for (const to of ends) expect([to, (await call(same, 'DELETE', to)).status]).toEqual([to, 200]);
    }
  });

  it('every other kind is found and listed for its owner only', async () => {
    await using scene = await createScene(engine);
    const { context } = scene.app;
    const { db } = context;
    const [userId, ann, ben] = [500, 7, 8];
    const owners = { ann: { userId, memberId: ann }, ben: { userId, memberId: ben }, service: { userId, memberId: 0 } };
    const later = Math.floor(context.now() / 1000) + 3600;
    const common = { created_at: 1, expires_at: later };
    const of = { ann: { user_id: userId, member_id: ann }, service: { user_id: userId } };
    const taskOf = (name: string) => ({ upstream_id: `t-${name}`, public_id: `video-${name}`, channel_id: 1 });
    let number = 0;
    for (const [name, owned] of Object.entries(of)) {
      number += 1;
      await db.write([
        { insert: stored<'files'>({ ...owned, ...common, id: `file-${name}`, state: 'stored', purpose: 'batch' }), into: 'files' },
        { insert: stored<'batches'>({ ...owned, ...common, id: `batch_${name}`, form: 'openai', state: 'running' }), into: 'batches' },
        { insert: stored<'tuning_jobs'>({ ...owned, ...common, id: `job-${name}`, state: 'running', metadata: '' }), into: 'tuning_jobs' },
        {
          insert: stored<'tuned_models'>({ ...owned, ...common, id: `ft:${name}`, state: 'ready', channel_id: 0, key: '' }),
          into: 'tuned_models',
        },
        { insert: stored<'context_caches'>({ ...owned, ...common, id: `cache${name}`, state: 'stored' }), into: 'context_caches' },
        { insert: stored<'vector_stores'>({ ...owned, ...common, id: `vs_${name}`, state: 'stored' }), into: 'vector_stores' },
        { insert: { ...buildTask({ id: number, ...taskOf(name), platform: 'video' }), ...owned }, into: 'tasks' },
        { insert: { ...buildTask({ id: 10 + number, upstream_id: `m-${name}`, platform: 'midjourney' }), ...owned }, into: 'tasks' },
      ]);
    }
    const page = {
      limit: 10,
      isAscending: false,
      after: undefined,
      before: undefined,
      purpose: undefined,
      metadata: new Map<string, string>(),
    };
    const format = 'openai' as const;
    const kinds: [string, (owner: ObjectOwner, name: string) => Promise<unknown>, (owner: ObjectOwner) => Promise<readonly object[]>][] = [
      ['file', (owner, name) => findFile(context, owner, `file-${name}`), (owner) => listFiles(context, owner, page)],
      [
        'batch',
        (owner, name) => findBatch(context, { owner, form: format, id: `batch_${name}` }),
        (owner) => listBatches(context, { owner, form: format }, page),
      ],
      ['job', (owner, name) => findJob(context, owner, `job-${name}`), (owner) => listJobs(context, owner, page)],
      ['cache', (owner, name) => findCache(context, owner, `cache${name}`), (owner) => listCaches(context, owner, page)],
      ['store', (owner, name) => findStore(context, owner, `vs_${name}`), (owner) => listStores(context, owner, page)],
      ['video', (owner, name) => findVideo(context, owner, `video-${name}`), (owner) => listVideos(context, owner, page)],
      [
        'drawing',
        (owner, name) => findTask(context, { platform: 'midjourney', owner, upstreamId: `m-${name}` }),
        (owner) => findTasks(context, { platform: 'midjourney', owner, upstreamIds: ['m-ann', 'm-service'] }),
      ],
    ];
    for (const [kind, find, list] of kinds) {
      const finds = (owner: ObjectOwner, name: string) =>
        find(owner, name).then(
          (found) => found !== null,
          () => false,
        );
      expect([kind, await finds(owners.ann, 'ann'), await finds(owners.ann, 'service')]).toEqual([kind, true, false]);
      expect([kind, await finds(owners.ben, 'ann'), await finds(owners.ben, 'service')]).toEqual([kind, false, false]);
      expect([kind, await finds(owners.service, 'ann'), await finds(owners.service, 'service')]).toEqual([kind, false, true]);
      const counts: number[] = [];
      for (const owner of [owners.ann, owners.ben, owners.service, { userId }]) counts.push((await list(owner)).length);
      expect([kind, ...counts]).toEqual([kind, 1, 0, 1, 2]);
    }
    await expect(deleteModel(context, owners.ben, 'ft:ann')).rejects.toMatchObject({ code: 'model_not_found' });
    await expect(deleteModel(context, owners.service, 'ft:ann')).rejects.toMatchObject({ code: 'model_not_found' });
    expect(await deleteModel(context, owners.ann, 'ft:ann')).toMatchObject({ deleted: true });
  });

  it('what a member has stored goes where the keys go', async () => {
    await using scene = await createScene(engine, options);
    const { id, owner, ann, ben, keys } = await buildOrganisation(scene);
    const call = callerOf(scene);
    const response = String((await call(keys.ann, 'POST', '/v1/responses', { model: testModel, input: 'Hi' })).body['id']);
    const file = String((await call(keys.ann, 'POST', '/v1/files', form())).body['id']);
    const read = async (key: string) => {
      const statuses: number[] = [];
      for (const to of [`/v1/responses/${response}`, `/v1/files/${file}`]) statuses.push((await call(key, 'GET', to)).status);
      return statuses;
    };
    expect([await read(keys.ann), await read(keys.ben)]).toEqual([
      [200, 200],
      [404, 404],
    ]);
    expect(await owner.delete(`${path}${id}/members/${ann.userId}?hand_over_to=${ben.userId}`)).toMatchObject({ success: true });
    await until(async () => (await read(keys.ann))[0] === 200);
    expect([await read(keys.ann), await read(keys.ben), await read(keys.service)]).toEqual([
      [200, 200],
      [200, 200],
      [404, 404],
    ]);
    expect(await owner.delete(`${path}${id}/members/${ben.userId}`)).toMatchObject({ success: true });
    await until(async () => (await read(keys.ben))[0] === 200);
    expect([await read(keys.service), await read(keys.owner)]).toEqual([
      [200, 200],
      [404, 404],
    ]);
  });
});
