// A server process is killed in the midst of a batch: whatever it was about, nothing is charged twice, nothing is lost, and the books balance.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { LogType } from '#shared/logs.ts';
import { pollBatches } from '#server/slices/batches/poll-batches.ts';
import { checkSpent, killedAfter, type KilledScene, makeDue, openKilled, post } from '#tests/faults/killed-scene.ts';
import { engines } from '#tests/support/engines.ts';
import { type FakeBatches, startFakeBatches } from '#tests/support/fake-batches.ts';
import { startFakeUpstream } from '#tests/support/fake-upstream.ts';
import type { Gate } from '#tests/support/gated-front.ts';
import type { ServerProcess } from '#tests/support/server-process.ts';
import { until } from '#tests/support/until.ts';

const model = 'gpt-4o-mini';
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
/** Of a request: 10 + 5 × 4, and half of that in a batch. */
const each = 15;
const requests = 2;
const options = {
  ModelRatio: JSON.stringify({ [model]: 1 }),
  CompletionRatio: JSON.stringify({ [model]: 4 }),
  FilesPerUser: '100',
  BatchesPerUser: '50',
};

interface Scene extends KilledScene {
  provider: FakeBatches;
}

async function open(engine: string): Promise<Scene> {
  const upstream = await startFakeUpstream();
  upstream.behave({ usage });
  const provider = await startFakeBatches(upstream.url);
  const close = async () => {
    await provider.close();
    await upstream.close();
  };
  const { url, channel } = provider;
  return { ...(await openKilled(engine, [{ front: { url, channel, close }, models: model }], options)), provider };
}

async function leave({ key }: Scene, { origin }: ServerProcess): Promise<string> {
  const body = { model, messages: [{ role: 'user', content: 'Say hello' }], max_tokens: 20 };
  const lines = Array.from({ length: requests }, (_, index) =>
    JSON.stringify({ custom_id: `r${index}`, method: 'POST', url: '/v1/chat/completions', body }),
  );
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([lines.join('\n')]), 'in.jsonl');
  const response = await fetch(`${origin}/v1/files`, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: form });
  const reported: { id?: string } = await response.json();
  if (reported.id === undefined) throw new Error(`The file was not taken: ${JSON.stringify(reported)}`);
  return reported.id;
}

function create(scene: Scene, server: ServerProcess, file: string): Promise<number | null> {
  return post(scene, server, '/v1/batches', { input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h' });
}

/** The job, in a process that comes later; what the dead have left is settled before. */
async function goOn({ scratch }: Scene, provider?: FakeBatches): Promise<void> {
  await scratch.withContext(async (context) => {
    if (provider !== undefined) for (const id of provider.batches.keys()) await provider.run({}, id);
    // Later than any claim's deadline, and before ended batches expire.
    for (let minutes = 40; minutes < 300; minutes += 40) await pollBatches({ ...context, now: () => Date.now() + minutes * 60_000 });
  });
}

/** The first run of the job, in a process that begins now. */
async function restart({ scratch }: Scene): Promise<void> {
  await scratch.withContext((context) => pollBatches({ ...context, now: () => Date.now() + 20_000 }));
}

/** Every batch has ended, and costs what the provider did for it. @returns how many there are here */
async function checkBooks(scene: Scene): Promise<number> {
  const { scratch, provider } = scene;
  const { here, done } = await scratch.withContext(async ({ db }) => {
    const batches = await db.collection('batches').find({});
    expect(batches.map(({ state }) => state)).toEqual(batches.map(() => 'ended'));
    const ran = batches.filter(({ upstream_id: id }) => id !== '');
    // What the provider has begun is known here, once.
    expect(ran.map(({ upstream_id: id }) => id).toSorted()).toEqual([...provider.batches.keys()].toSorted());
    const charged = batches.filter(({ charge }) => charge === 'done');
    const rows = await db.collection('logs').find({ type: LogType.consumption });
    expect(rows.map(({ request_id: id }) => String(id)).toSorted()).toEqual(charged.map(({ request_id: id }) => id).toSorted());
    expect(await db.collection('logs').count({ type: LogType.system })).toBe(charged.length);
    expect(await db.collection('files').count({ purpose: 'batch_output' })).toBe(ran.length);
    return { here: batches.length, done: ran.length };
  });
  await checkSpent(scene, done * requests * each);
  return here;
}

/** While its requests are read, while they are sent to the provider, before the provider receives the batch, and before its response arrives. */
const creation: readonly Gate[] = [
  { at: /^GET \/v1\/files\/.*\/content/, when: 'after' },
  { at: /^POST \/v1\/files/, when: 'after' },
  { at: /^POST \/v1\/batches/, when: 'before' },
  { at: /^POST \/v1\/batches/, when: 'after' },
];

describe.each(engines)('a process that is killed on $kind', ({ kind }) => {
  test('at every step of creating them: a batch is charged if it runs, and all goes back if it does not', async () => {
    await using scene = await open(kind);
    const { fronts, provider } = scene;
    const answers: Promise<number | null>[] = [];
    await killedAfter(scene, async (server) => {
      const files: string[] = [];
      for (const _gate of creation) files.push(await leave(scene, server));
      for (const [index, gate] of creation.entries()) {
        const held = fronts[0]?.hold(gate);
        answers.push(create(scene, server, files[index] ?? ''));
        await held;
      }
    });
    expect(await Promise.all(answers)).toEqual(creation.map(() => null));
    expect(provider.batches.size).toBe(1);
    // The next process looks at once, long before anybody would look whose process lives.
    await restart(scene);
    await scene.scratch.withContext(async ({ db }) => {
      expect(await db.collection('batches').count({ state: { in: ['checking', 'creating'] } })).toBe(0);
      expect(await db.collection('batches').count({ state: 'running' })).toBe(1);
    });
    await goOn(scene, provider);
    // Of the first two nothing was taken.
    expect(await checkBooks(scene)).toBe(2);
    // And once more, when all is over.
    await goOn(scene);
    expect(await checkBooks(scene)).toBe(2);
  });

  test('while results are summed, and when they have been told and rests go back: each is counted once, and gives back its rest once', async () => {
    await using scene = await open(kind);
    const { fronts, provider } = scene;
    await killedAfter(scene, async (server) => {
      for (let count = 0; count < 2; count += 1) {
        expect(await create(scene, server, await leave(scene, server))).toBe(200);
        await provider.run();
      }
    });
    // Their own jobs find that the batches have ended, as soon as they serve.
    await makeDue(scene, 'batches');
    await killedAfter(scene, async () => fronts[0]?.hold({ at: /^GET \/v1\/files\/.*-out\/content/, when: 'after' }));
    await makeDue(scene, 'batches');
    await killedAfter(scene, async () => {
      const known = provider.files.requested.length;
      await until(() => provider.files.requested.slice(known).some((requested) => requested.includes('-out/')), 60_000);
      await sleep(Math.random() * 60);
    });
    await goOn(scene);
    expect(await checkBooks(scene)).toBe(2);
  });

  test('at any moment of charging: each batch ends, and is charged once or not at all', async () => {
    await using scene = await open(kind);
    const { scratch, provider } = scene;
    for (let kill = 0; kill < 3; kill += 1) {
      const answers: Promise<number | null>[] = [];
      await killedAfter(scene, async (server) => {
        const files: string[] = [];
        for (let count = 0; count < 4; count += 1) files.push(await leave(scene, server));
        const sent = provider.files.requested.length;
        answers.push(...files.map((file) => create(scene, server, file)));
        // As soon as the provider has the requests of the first one they are charged.
        await until(() => provider.files.requested.slice(sent).some((requested) => requested.startsWith('POST ')));
        await sleep(Math.random() * 60);
      });
      await Promise.all(answers);
    }
    const here = await scratch.withContext(({ db }) => db.collection('batches').count({ state: { ne: 'checking' } }));
    await goOn(scene, provider);
    expect(await checkBooks(scene)).toBe(here);
  });
});
