// OpenAI's files and batches against an independent implementation. https://github.com/CopilotKit/aimock
import { LLMock } from '@copilotkit/aimock';
import OpenAI, { toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import { pollBatches } from '#server/slices/batches/poll-batches.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { createScene, testModel } from '#tests/support/relay-scene.ts';

const settings = {
  FilesPerUser: '20',
  BatchesPerUser: '5',
  ModelRatio: JSON.stringify({ [testModel]: 1 }),
  CompletionRatio: JSON.stringify({ [testModel]: 4 }),
};
const paths = [
  { endpoint: '/v1/chat/completions', body: { model: testModel, max_tokens: 50, messages: [{ role: 'user', content: 'Tide?' }] } },
  { endpoint: '/v1/responses', body: { model: testModel, max_output_tokens: 50, input: 'Tide?' } },
  { endpoint: '/v1/embeddings', body: { model: testModel, input: 'Tide' } },
] as const;

describe.each(paths)('batches of $endpoint', ({ endpoint, body }) => {
  test('are created, worked on, charged and read', async () => {
    const mock = new LLMock({ port: 0, logLevel: 'silent' });
    await mock.start();
    try {
      const setting = JSON.stringify({ formats: ['openai-chat', 'openai-responses'] });
      const model_mapping = JSON.stringify({ [testModel]: 'theirs' });
      const channels = [{ type: 1, key: 'sk-any', base_url: mock.url, setting, model_mapping }];
      await using scene = await createScene(embeddedEngine, { settings, channels });
      const client = new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: scene.key, maxRetries: 0 });
      const before = await scene.balance();
      const lines = ['a', 'b'].map((name) => JSON.stringify({ custom_id: name, method: 'POST', url: endpoint, body }));
      const input = await client.files.create({ file: await toFile(Buffer.from(lines.join('\n')), 'in.jsonl'), purpose: 'batch' });
      const batch = await client.batches.create({ input_file_id: input.id, endpoint, completion_window: '24h' });
      for (let turn = 0; turn < 3; turn += 1) {
        scene.app.clock.advance(11 * 60_000);
        await pollBatches(scene.app.context);
      }
      const ended = await client.batches.retrieve(batch.id);
      expect(ended).toMatchObject({ status: 'completed', request_counts: { total: 2, completed: 2, failed: 0 } });
      const text = await (await client.files.content(ended.output_file_id ?? '')).text();
      const results = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(results).toMatchObject([
        { custom_id: 'a', response: { status_code: 200, body: { model: testModel } } },
        { custom_id: 'b', response: { body: { model: testModel } } },
      ]);
      const record = await scene.app.context.db.collection('batches').get(batch.id);
      expect(record).toMatchObject({ state: 'ended', completed: 2 });
      expect(await scene.balance()).toBe(before - (record?.cost ?? 0));
      await scene.checkBooks();
    } finally {
      await mock.stop();
    }
  });
});
