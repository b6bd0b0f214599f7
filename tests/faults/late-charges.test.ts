// A process that creates a batch or a training stalls before the charge, is taken for dead, and resumes: work that was cancelled meanwhile is
// refunded.
import OpenAI, { toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import { pollBatches } from '#server/slices/batches/poll-batches.ts';
import type { AppContext } from '#server/context.ts';
import type { Ledger } from '#server/money/ledger.ts';
import { pollTunings } from '#server/slices/fine-tuning/poll-jobs.ts';
import { engines } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { startFakeTuning } from '#tests/support/fake-tuning.ts';
import { createScene, type RelayScene, testModel as model } from '#tests/support/relay-scene.ts';
import { createTestApp } from '#tests/support/test-app.ts';

const settings = {
  FilesPerUser: '50',
  BatchesPerUser: '2',
  FineTuningJobsPerUser: '2',
  FineTuningPrice: JSON.stringify({ [`training:${model}`]: 4, [`input:${model}`]: 2, [`output:${model}`]: 6 }),
  RetryTimes: '0',
};
const example = JSON.stringify({ messages: [{ role: 'assistant', content: 'Ahoy' }] });
const request = JSON.stringify({
  custom_id: 'a',
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 },
});

const kinds: {
  kind: string;
  purpose: 'batch' | 'fine-tune';
  content: string;
  create(client: OpenAI, file: string): PromiseLike<unknown>;
  poll(context: AppContext): Promise<void>;
}[] = [
  {
    kind: 'batch',
    purpose: 'batch',
    content: request,
    create: (client, file) => client.batches.create({ input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h' }),
    poll: (context) => pollBatches(context),
  },
  {
    kind: 'training',
    purpose: 'fine-tune',
    content: `${example}\n`.repeat(10),
    create: (client, file) => client.fineTuning.jobs.create({ model, training_file: file }),
    poll: (context) => pollTunings(context),
  },
];

/** The first charge comes when that is over. */
function beforeCharge({ app }: RelayScene, work: () => Promise<void>): void {
  const { context } = app;
  const { ledger } = context;
  const settle: Ledger['settle'] = async (...given) => {
    Object.assign(context, { ledger });
    await work();
    return ledger.settle(...given);
  };
  const late = new Proxy(ledger, {
    get: (target, name) => {
      const found: unknown = name === 'settle' ? settle : Reflect.get(target, name, target);
      return typeof found === 'function' && name !== 'settle' ? found.bind(target) : found;
    },
  });
  Object.assign(context, { ledger: late });
}

describe.each(engines)('a charge that comes late on $kind', (engine) => {
  test.each(kinds)('of a $kind that was given up is paid back', async ({ purpose, content, create, poll }) => {
    await using scene = await createScene(engine, { front: startFakeTuning, settings, tokenQuota: 100_000_000 });
    const { app } = scene;
    await using other = await createTestApp(engine, { database: app.database, clock: app.clock });
    const client = new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: scene.key, maxRetries: 0 });
    const { id: file } = await client.files.create({ file: await toFile(Buffer.from(content), 'in.jsonl'), purpose });
    const before = await scene.balance();
    beforeCharge(scene, async () => {
      const { db, ledger } = other.context;
      await db.collection('processes').patch({ id: app.context.ledger.processId, state: 'alive' }, { set: { heartbeat_at: 0 } });
      await ledger.recoverCrashed();
      app.clock.advance(20 * 60_000);
      await poll(other.context);
    });
    expect(await failureOf(create(client, file))).toMatchObject({ status: expect.any(Number) });
    expect(await scene.balance()).toBe(before);
    const token = await app.context.db.collection('tokens').get(scene.token.id);
    expect(token?.used_quota).toBe(0);
    await scene.checkBooks();
  });
});
