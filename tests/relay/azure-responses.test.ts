// Responses at Azure OpenAI: one address for all models, which are called as their deployments are.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene } from '#tests/support/relay-scene.ts';

const model = 'gpt-4.1';

describe.each(oneEngine)('Responses at Azure on $kind', (engine) => {
  test.each([
    { setting: '', deployment: 'gpt-41' },
    { setting: '{"keep_dots":true}', deployment: 'gpt-4.1' },
  ])('name the deployment $deployment, and the log the model', async ({ setting, deployment }) => {
    await using scene = await createScene(engine, {
      settings: { SelfUseModeEnabled: 'true' },
      channels: [{ type: 3, models: model, other: '2024-06-01', key: 'azkey', setting }],
    });
    for (const stream of [false, true]) {
      const response = await scene.post('/v1/responses', { model, input: 'When is high water in Brest?', stream });
      expect(response.status).toBe(200);
      await response.text();
    }
    const { path, body, headers } = await scene.upstream.request(0);
    expect({ path, body, key: headers['api-key'] }).toMatchObject({
      path: '/openai/v1/responses',
      body: { model: deployment, store: false },
      key: 'azkey',
    });
    const rows = await scene.logs(2);
    expect(rows.map(({ model_name }) => model_name)).toEqual([model, model]);
    expect(rows[0]?.other).not.toHaveProperty('is_model_mapped');
    await scene.checkBooks();
  });
});
