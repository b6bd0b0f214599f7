// Embeddings as Gemini's callers request them, by Google's own package and by plain requests.
import { GoogleGenAI } from '@google/genai';
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

const model = 'text-embedding-3-small';
const upstreams = [
  { format: 'OpenAI', type: 1 },
  { format: 'Gemini', type: 24 },
];

function post(scene: RelayScene, verb: string, body: unknown): Promise<Response> {
  return scene.post(`/v1beta/models/${model}:${verb}`, body);
}

describe.each(oneEngine.flatMap((engine) => upstreams.map((upstream) => ({ engine, kind: engine.kind, ...upstream }))))(
  'embeddings of Gemini’s callers on $kind, before $format',
  ({ engine, type, format }) => {
    const open = () => createScene(engine, { settings: { SelfUseModeEnabled: 'true' }, channels: [{ type, models: model }] });
    const content = (text: string) => ({ parts: [{ text }] });

    test('the package gets a vector for each text, in order', async () => {
      await using scene = await open();
      const { models } = new GoogleGenAI({ apiKey: scene.key, httpOptions: { baseUrl: scene.app.origin } });
      const ask = async (contents: string[]) =>
        (await models.embedContent({ model, contents, config: { outputDimensionality: 8 } })).embeddings?.map(({ values }) => values);
      const [ebb, flood] = (await ask(['ebb', 'flood'])) ?? [];
      expect(ebb).toHaveLength(8);
      expect(await ask(['flood', 'ebb'])).toEqual([flood, ebb]);
      expect(ebb).not.toEqual(flood);
      const rows = await scene.logs(2);
      expect(rows.every((row) => row.prompt_tokens > 0 && row.completion_tokens === 0)).toBe(true);
      await scene.checkBooks();
    });

    test('one text has one vector', async () => {
      await using scene = await open();
      // As either spelling; bytes pass to a provider of this format.
      const length = format === 'Gemini' ? { outputDimensionality: 4 } : { output_dimensionality: 4 };
      const response = await post(scene, 'embedContent', { model: `models/${model}`, content: content('ebb'), ...length });
      expect(response.status).toBe(200);
      expect((await response.json()).embedding.values).toHaveLength(4);
      const path = { OpenAI: '/v1/embeddings', Gemini: `/v1beta/models/${model}:embedContent` }[format];
      expect(scene.upstream.requests[0]?.path).toBe(path);
    });

    test.each([
      { what: 'nothing', verb: 'batchEmbedContents', body: { requests: [] } },
      { what: 'no content', verb: 'embedContent', body: {} },
      { what: 'a batch as a single one', verb: 'embedContent', body: { requests: [{ content: { parts: [{ text: 'x' }] } }] } },
      { what: 'a single one as a batch', verb: 'batchEmbedContents', body: { content: { parts: [{ text: 'x' }] } } },
      {
        what: 'another model',
        verb: 'batchEmbedContents',
        body: { requests: [{ model: 'models/other', content: { parts: [{ text: 'x' }] } }] },
      },
      {
        what: 'a length twice',
        verb: 'embedContent',
        body: { content: { parts: [{ text: 'x' }] }, outputDimensionality: 2, output_dimensionality: 3 },
      },
    ])('who asks for $what is refused and pays nothing', async ({ verb, body }) => {
      await using scene = await open();
      const response = await post(scene, verb, body);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } });
      expect(scene.upstream.requests).toEqual([]);
      expect(await scene.balance()).toBe(scene.user.quota);
    });

    test('what only Gemini knows is named, or refused where the vectors would be wrong ones', async () => {
      if (format === 'Gemini') return;
      await using scene = await open();
      const response = await post(scene, 'embedContent', { content: content('ebb'), taskType: 'RETRIEVAL_QUERY' });
      expect(response.headers.get('x-tidegate-dropped')).toBe('taskType');
      const picture = { parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] };
      expect((await post(scene, 'embedContent', { content: picture })).status).toBe(400);
    });
  },
);
