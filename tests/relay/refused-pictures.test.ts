// A provider refuses a picture because of its prompt: the error has the caller's format, costs nothing, and does not count against the channel.
import { describe, expect, test } from 'vitest';
import { ChannelStatus } from '#shared/channels.ts';
import { oneEngine } from '#tests/support/engines.ts';
import type { UpstreamError } from '#tests/support/upstream-behaviour.ts';
import { createScene } from '#tests/support/relay-scene.ts';

const model = 'gpt-image-1';
const settings = {
  RetryTimes: '2',
  AutomaticDisableChannelEnabled: 'true',
  ModelRatio: JSON.stringify({ [model]: 2.5 }),
  ImageCompletionRatio: JSON.stringify({ [model]: 4 }),
};
const quota = 50_000_000;
const words = 'Your request was rejected by the safety system';

describe.each(oneEngine)('a picture that is refused on $kind', (engine) => {
  test.each<[string, number, UpstreamError]>([
    ['OpenAI', 400, { message: words, type: 'image_generation_user_error', code: 'moderation_blocked' }],
    ['Azure', 400, { message: words, type: 'invalid_request_error', code: 'content_policy_violation' }],
    ['Azure, by its filter', 400, { message: words, type: 'invalid_request_error', code: 'contentFilter' }],
    ['xAI', 403, { message: `Content violates usage guidelines. ${words}`, type: 'permission_error' }],
    ['OpenRouter', 403, { message: words, type: 'forbidden', metadata: { reasons: ['violence'], flagged_input: 'a tide' } }],
    ['the law', 451, { message: words, type: 'invalid_request_error' }],
  ])('by %s', async (_name, status, error) => {
    const channels = [
      { models: model, priority: 1 },
      { models: model, key: 'second' },
    ];
    await using scene = await createScene(engine, { settings, channels, quota });
    scene.upstream.behave({ status, error });
    for (const stream of [false, true]) {
      const response = await scene.post('/v1/images/generations', { model, prompt: 'a tide', stream });
      const text = await response.text();
      expect([response.status, text]).toEqual([400, expect.stringContaining(words)]);
      expect(JSON.parse(text)).toMatchObject({ error: { message: expect.any(String), type: expect.any(String) } });
    }
    expect(scene.upstream.requests).toHaveLength(2);
    expect(await scene.balance()).toBe(quota);
    const found = await scene.app.context.db.collection('channels').find({});
    expect(found.map((channel) => channel.status)).toEqual([ChannelStatus.enabled, ChannelStatus.enabled]);
    await scene.checkBooks();
  });
});
