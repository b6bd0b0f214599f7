// Rules for every kind of call whose response is not written by a model: permitted callers, the upstream request, and a single charge however it
// ends.
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';

interface Kind {
  path: string;
  /** Body, with its parameters. */
  body: (text: string) => Record<string, unknown>;
  /** A provider that has none. */
  missingAt: number;
}

const kinds: Record<string, Kind> = {
  embeddings: { path: '/embeddings', body: (text) => ({ input: text }), missingAt: 14 },
  images: { path: '/images/generations', body: (text) => ({ prompt: text }), missingAt: 14 },
  rerank: { path: '/rerank', body: (text) => ({ query: text, documents: ['flood', 'tide'] }), missingAt: 14 },
  moderations: { path: '/moderations', body: (text) => ({ input: text }), missingAt: 14 },
};

const model = 'harbour-1';
/** One token costs 10, and each text below has one. */
const settings = { ModelRatio: JSON.stringify({ [model]: 10 }) };

describe.each(oneEngine)('kinds of call on $kind', (engine) => {
  describe.each(Object.entries(kinds))('%s', (_name, { path, body, missingAt }) => {
    const open = (options: SceneOptions = {}) =>
      createScene(engine, { channels: [{ models: model }], ...options, settings: { ...settings, ...options.settings } });
    const ask = ({ app, key }: RelayScene, fields: object = {}, options: { signal?: AbortSignal; headers?: Record<string, string> } = {}) =>
      new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: key, maxRetries: 0 }).post(path, {
        body: { model, ...body('ebb'), ...fields },
        ...options,
      });

    test('goes to the model of the mapping, with the overrides of the channel', async () => {
      await using scene = await open({
        channels: [
          { models: model, model_mapping: JSON.stringify({ [model]: 'mapped-1' }), param_override: JSON.stringify({ user: 'tide' }) },
        ],
      });
      await ask(scene, { mark: 1 });
      expect(scene.upstream.requests[0]?.body).toEqual({ ...body('ebb'), mark: 1, model: 'mapped-1', user: 'tide' });
      expect(await scene.logs(1)).toMatchObject([{ model_name: model, other: { upstream_model_name: 'mapped-1' } }]);
    });

    test.each([{ status: 500 }, { refuse: true }, { garbage: 'text' as const }, { garbage: 'error object' as const }, { cutAfter: 10 }])(
      'a channel that fails (%j) costs nothing, and another one is asked',
      async (behaviour) => {
        await using scene = await open({ settings: { RetryTimes: '1' }, channels: [{ models: model, priority: 10 }, { models: model }] });
        scene.upstream.queue(behaviour);
        await ask(scene);
        const [row] = await scene.logs(1);
        expect(row?.other?.attempts).toHaveLength(2);
        expect(row?.quota).toBeGreaterThan(0);
        expect(await scene.balance()).toBe(500_000_000 - (row?.quota ?? 0));
        await scene.checkBooks();
      },
    );

    test('is read to its end and charged once when its client leaves', async () => {
      await using scene = await open();
      scene.upstream.behave({ firstByteDelay: 300 });
      const client = new AbortController();
      const requested = failureOf(ask(scene, {}, { signal: client.signal }));
      await scene.upstream.request(0);
      client.abort();
      await requested;
      const [row] = await scene.logs(1);
      expect(row?.other).toMatchObject({ ending: 'client_closed', after_leaving: 'read' });
      expect(row?.quota).toBeGreaterThan(0);
      await scene.checkBooks();
    });

    test('is refused before anything is sent: without money, to a key of other models, for its words', async () => {
      await using scene = await open({ quota: 1, settings: { SensitiveWords: 'contraband' } });
      expect(await failureOf(ask(scene, body('ebb '.repeat(50))))).toMatchObject({ status: 403, code: 'insufficient_user_quota' });
      expect(await failureOf(ask(scene, body('some contraband')))).toMatchObject({ status: 400, code: 'sensitive_words_detected' });
      const { key } = await scene.addToken({ model_limits_enabled: true, model_limits: 'other' });
      expect(await failureOf(ask({ ...scene, key }))).toMatchObject({ status: 403, code: 'model_denied' });
      expect(scene.upstream.requests).toEqual([]);
      expect(await scene.balance()).toBe(1);
    });

    test('is not asked of a provider that has none: another channel is, or it is told so before one is picked', async () => {
      await using scene = await open({ settings: { RetryTimes: '0' }, channels: [{ type: missingAt, models: model, priority: 10 }] });
      const refusal = await failureOf(ask(scene, {}, { headers: { 'accept-language': 'en' } }));
      expect(refusal).toMatchObject({ status: 501, code: 'format_unsupported', message: expect.stringContaining('does not support') });
      const reported = await scene.post(`/v1${path}`, { model, ...body('ebb') });
      expect([reported.status, reported.headers.get('x-should-retry')]).toEqual([501, 'false']);
      expect(await scene.app.context.db.collection('logs').find({ type: 2 })).toEqual([]);
      await scene.addChannel({ models: model });
      await ask(scene);
      const [row] = await scene.logs(1);
      expect(row?.other?.attempts).toHaveLength(1);
      await scene.checkBooks();
    });
  });
});
