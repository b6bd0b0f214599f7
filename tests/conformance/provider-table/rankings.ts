// Reranking at providers with their own API, by callers of either format.
import { expect } from 'vitest';
import { embeddedEngine } from '#tests/support/engines.ts';
import { type FakeRanker, type RankerName, rankerNames, rankers, startFakeRanker } from '#tests/support/fake-rankers.ts';
import { refusedText } from '#tests/support/provider-front.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import type { Row } from './rows.ts';

/** If empty, that type uses the shared API. */
export function rankersOf(type: number): readonly RankerName[] {
  return rankerNames.filter((name) => rankers[name].type === type);
}

/** The order, the documents where they are wanted, what it took; and refused in the provider's own words. */
export async function askForRankings({ type }: Row): Promise<void> {
  for (const name of rankersOf(type)) await askRanker(name);
}

async function askRanker(name: RankerName): Promise<void> {
  const { type, model } = rankers[name];
  let ranker: FakeRanker | undefined;
  await using scene = await createScene(embeddedEngine, {
    settings: { SelfUseModeEnabled: 'true', RetryTimes: '0' },
    channels: [{ type, models: model }],
    front: async (url) => (ranker = await startFakeRanker(name, url)),
  });
  const ask = async (fields: object, headers: Record<string, string> = {}) => {
    const response = await scene.post('/v1/rerank', { model, query: 'high water', documents: ['ebb', 'the flood'], ...fields }, headers);
    return { status: response.status, dropped: response.headers.get('x-tidegate-dropped'), body: await response.json() };
  };
  const one = await ask({ top_n: 1, return_documents: true, max_chunk_per_doc: 3 });
  expect(one, name).toMatchObject({ status: 200, dropped: 'max_chunk_per_doc', body: { usage: { total_tokens: 21 } } });
  const { document, ...first } = one.body.results[0];
  expect([one.body.results.length, first]).toEqual([1, { index: 1, relevance_score: expect.any(Number) }]);
  expect([document, document.text]).toContain('the flood');
  const cohere = await ask({}, { 'x-fern-sdk-name': 'cohere-ai' });
  expect(cohere.body).toMatchObject({ results: [{ index: 1 }, { index: 0 }], meta: { tokens: { input_tokens: 21 } } });
  expect(cohere.body).not.toHaveProperty('output');
  expect(await scene.logs(2)).toMatchObject([{ prompt_tokens: 21 }, { prompt_tokens: 21 }]);
  const balance = await scene.balance();
  const refused = await ask({ query: refusedText });
  expect(refused).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining(refusedText) } } });
  const picture = { documents: [{ image: 'https://example.com/a.png' }] };
  if (name !== 'aliSees') expect(await ask(picture)).toMatchObject({ status: 400, body: { error: { code: 'untranslatable' } } });
  expect(ranker?.taken).toHaveLength(3);
  if (name === 'aliSees') expect(await ask(picture)).toMatchObject({ status: 200 });
  else expect(await scene.balance()).toBe(balance);
  await scene.checkBooks();
}
