// A server process is killed while responses in the background end: what is charged is delivered, and what is not has failed.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { failOrphans } from '#server/slices/responses/background.ts';
import type { Write } from '#server/db/database.ts';
import { ResponseStore } from '#server/slices/responses/response-store.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { createToken } from '#tests/support/build-token.ts';
import { buildUser } from '#tests/support/build.ts';
import { engines } from '#tests/support/engines.ts';
import { testMongoUrl } from '#tests/support/mongo-databases.ts';
import { createScene, until } from '#tests/support/relay-scene.ts';
import { createScratch } from '#tests/support/scratch-database.ts';
import { runAudit, startServer } from '#tests/support/server-process.ts';
import { instead } from '#tests/support/watched-database.ts';

const model = 'gpt-4o-mini';
const kills = 4;
const perKill = 6;

/** Starts a provider that begins every stream and ends all of them at once, on demand. */
async function startHeldStreams() {
  const open: (() => void)[] = [];
  const chunk = (fields: object) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model, ...fields })}\n\n`;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: 'Noon ' }, finish_reason: null }] }));
    open.push(() => {
      response.write(chunk({ choices: [{ index: 0, delta: { content: 'in Brest.' }, finish_reason: 'stop' }] }));
      response.write(chunk({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }));
      response.end('data: [DONE]\n\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    open,
    end: () => open.splice(0).forEach((endStream) => endStream()),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe.each(engines)('background responses of a process that is killed as they end, on $kind', ({ kind }) => {
  test('are delivered if they are charged, and have failed if not', async () => {
    await using provider = await startHeldStreams();
    const scratch = await createScratch(kind === 'mongodb' ? testMongoUrl : undefined);
    try {
      const key = await scratch.withContext(async (context) => {
        const user = await buildUser(context);
        await context.db.collection('users').insert(user);
        await context.ledger.change({ account: 'user', id: user.id, ref: 'seed', kind: 'redemption', actorId: 0, amount: 10_000_000 });
        const channel = buildChannel({ id: 1, type: 1, models: model, base_url: provider.url }, context.secrets);
        await context.db.collection('channels').insert(channel);
        return (await createToken(context, user.id)).key;
      });
      for (let kill = 0; kill < kills; kill += 1) {
        const server = await startServer({ DATABASE_URL: scratch.url });
        try {
          const { responses } = new OpenAI({ baseURL: `${server.origin}/v1`, apiKey: key, maxRetries: 0 });
          for (let count = 0; count < perKill; count += 1) await responses.create({ model, input: 'Tide?', background: true });
          await until(() => provider.open.length === perKill || null, 60_000);
          provider.end();
          await sleep(Math.random() * 60);
        } finally {
          await server.kill('SIGKILL');
        }
        // Before the next ones begin: those that did not end have places.
        await scratch.withContext((context) => failOrphans({ ...context, now: () => Date.now() + 120_000 }));
      }
      // A kill between the end of a response and the removal of its temporary copy, which chance hits rarely.
      await scratch.withContext(async (context) => {
        const [ended] = await context.db.collection('responses').find({}, { limit: 1 });
        if (ended === undefined) throw new Error('No response was stored');
        const ending = { requestId: 'x', events: [], conversation: null };
        const writes = await new ResponseStore(context).storeEnding(ended, ending);
        await context.db.write(writes.filter((write) => 'insert' in write));
        await context.db.collection('responses').patch({ id: ended.id }, { set: { has_ending: 1 } });
        await failOrphans({ ...context, now: () => Date.now() + 120_000 });
      });
      await scratch.withContext(async (context) => {
        const { db } = context;
        const rows = await db.collection('logs').find({ type: 2 });
        const charged = new Set(rows.map(({ request_id: id }) => id));
        const records = await db.collection('responses').find({});
        expect(records).toHaveLength(kills * perKill);
        const store = new ResponseStore(context);
        for (const record of records) {
          for (const field of ['alive_until', 'place', 'settling']) expect(record).not.toHaveProperty(field);
          const reported = JSON.stringify(await store.responseIn(record));
          if (record.status === 'completed') expect(reported).toContain('Noon in Brest.');
          else expect(record.status).toBe('failed');
          expect(await db.collection('response_pieces').count({ response_id: record.id, is_last: true })).toBe(1);
        }
        expect(records.filter(({ status }) => status === 'completed')).toHaveLength(charged.size);
        expect(await db.collection('response_pieces').count({ kind: 'ending' })).toBe(0);
      });
      const audited = await runAudit(scratch.url);
      expect(audited.code, audited.output).toBe(0);
    } finally {
      await scratch.remove();
    }
  });
});

describe.each(engines)('a stored end whose process is gone, on $kind', (engine) => {
  const begin = async () => {
    const scene = await createScene(engine);
    scene.upstream.behave({ text: 'Noon in Brest.', holdAfter: 1 });
    const client = new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: scene.key, maxRetries: 0 });
    const conversation = (await client.conversations.create()).id;
    const { id } = await client.responses.create({ model, input: 'Tide?', background: true, conversation });
    const request = await scene.upstream.request(0);
    const responses = scene.app.context.db.collection('responses');
    await until(async () => (await responses.get(id))?.status === 'in_progress' || null);
    return { scene, client, conversation, id, request, responses };
  };

  test('is delivered with its events and its conversation where its charge is found', async () => {
    const { scene, client, conversation, id, request, responses } = await begin();
    await using _scene = scene;
    const { context } = scene.app;
    const { db } = context;
    // The process dies between the charge and the last write.
    const dead = Promise.withResolvers<boolean[]>();
    const isEnd = (one: Write) => 'patch' in one && one.of === 'responses' && one.patch.set !== undefined && 'status' in one.patch.set;
    Object.assign(context, {
      db: instead(db, { write: (batch: readonly Write[]) => (batch.some(isEnd) ? dead.promise : db.write(batch)) }),
    });
    request.release();
    const [row] = await scene.logs(1);
    Object.assign(context, { db });
    expect(await responses.get(id)).toMatchObject({ status: 'in_progress', settling: { request_id: row?.request_id } });
    await db.collection('processes').patch({ id: row?.process ?? '' }, { set: { settled_seq: row?.seq ?? 0 } });
    await responses.patch({ id }, { set: { alive_until: 1 } });
    await Promise.all([failOrphans(context), failOrphans(context)]);
    expect(await client.responses.retrieve(id)).toMatchObject({ status: 'completed', output_text: 'Noon in Brest.' });
    const events: string[] = [];
    for await (const { type } of await client.responses.retrieve(id, { stream: true })) events.push(type);
    expect([events[0], events.at(-1)]).toEqual(['response.created', 'response.completed']);
    const items = (await client.conversations.items.list(conversation)).data;
    expect(JSON.stringify(items)).toMatch(/Noon in Brest\..*Tide\?|Tide\?.*Noon in Brest\./);
    dead.resolve([]);
    await scene.checkBooks();
  });

  test('is told once, as completed, where its process had only stood still and goes on while another ends it', async () => {
    const { scene, client, id, request, responses } = await begin();
    await using _scene = scene;
    const { context } = scene.app;
    const { db } = context;
    const asleep = Promise.withResolvers<boolean[]>();
    const isEnd = (one: Write) => 'patch' in one && one.of === 'responses' && one.patch.set?.status === 'completed';
    let last: readonly Write[] = [];
    const write = (batch: readonly Write[]) => {
      if (!batch.some(isEnd)) return db.write(batch);
      last = batch;
      return asleep.promise;
    };
    Object.assign(context, { db: instead(db, { write }) });
    request.release();
    const [row] = await scene.logs(1);
    await until(() => last.length > 0 || null);
    await db.collection('processes').patch({ id: row?.process ?? '' }, { set: { settled_seq: row?.seq ?? 0 } });
    await responses.patch({ id }, { set: { alive_until: 1 } });
    const store = new ResponseStore(context);
    const record = await responses.get(id);
    if (record === null) throw new Error('The response is gone');
    // Between the claim of the other process and its look at what was stored.
    const patch: typeof responses.patch = async (...change) => {
      const claimed = await responses.patch(...change);
      asleep.resolve(await db.write(last));
      await until(async () => ((await store.endingIn(record)) === null ? true : null));
      return claimed;
    };
    const collection = (name: Parameters<typeof db.collection>[0]) =>
      name === 'responses' ? instead(responses, { patch }) : db.collection(name);
    Object.assign(context, { db: instead(db, { collection }) });
    await failOrphans(context);
    Object.assign(context, { db });
    expect(await client.responses.retrieve(id)).toMatchObject({ status: 'completed', output_text: 'Noon in Brest.' });
    const events: string[] = [];
    for await (const { type } of await client.responses.retrieve(id, { stream: true })) events.push(type);
    expect(events.filter((type) => type === 'response.completed' || type === 'response.failed')).toEqual(['response.completed']);
    await scene.checkBooks();
  });

  test('waits as long as it is not known whether it is charged, and has failed where it is not', async () => {
    const { scene, client, id, request, responses } = await begin();
    await using _scene = scene;
    const { context } = scene.app;
    const since = context.now() - 1;
    const settling = { request_id: 'unknown', process: context.ledger.processId, pieces: 1 };
    await responses.patch({ id }, { set: { alive_until: since, settling } });
    await failOrphans(context);
    expect(await responses.get(id)).toMatchObject({ status: 'in_progress', alive_until: since });
    await responses.patch({ id }, { set: { settling: { ...settling, process: 'gone' } } });
    await failOrphans(context);
    expect(await client.responses.retrieve(id)).toMatchObject({ status: 'failed' });
    request.release();
    await scene.logs(1);
  });
});
