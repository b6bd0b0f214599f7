// Embeddings of providers with their own API.
import { expect } from 'vitest';
import { embeddedEngine } from '#tests/support/engines.ts';
import { type EmbedderName, embedders, startFakeEmbedder } from '#tests/support/fake-embedders.ts';
import { refusedText } from '#tests/support/provider-front.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import type { Row } from './rows.ts';

const models: Readonly<Record<EmbedderName, string>> = {
  vertex: 'text-embedding-005',
  minimax: 'embo-01',
  dashscope: 'text-embedding-v4',
  qianfan: 'embedding-v1',
};

/** If null, the shared API is used. */
export function embedderOf(type: number): EmbedderName | null {
  return embedderNames.find((name) => embedders[name].type === type) ?? null;
}

const embedderNames = Object.keys(embedders).filter((name): name is EmbedderName => name in embedders);

/** Made, and refused in the provider's own words. */
export async function askForVectors({ type }: Row): Promise<void> {
  const name = embedderOf(type);
  if (name === null) throw new Error(`Nothing makes vectors as type ${type} does`);
  const model = models[name];
  const settings = { SelfUseModeEnabled: 'true', RetryTimes: '0' };
  const front = (url: string) => startFakeEmbedder(name, url);
  await using scene = await createScene(embeddedEngine, { settings, channels: [{ type, models: model }], front });
  const ask = (input: string[]) => scene.post('/v1/embeddings', { model, input });
  const made = await ask(['ebb', 'flood']);
  const text = await made.text();
  expect(made.status, text).toBe(200);
  expect(JSON.parse(text)).toMatchObject({ data: [{ index: 0 }, { index: 1 }], usage: { prompt_tokens: expect.any(Number) } });
  const balance = await scene.balance();
  const refused = await ask([refusedText]);
  expect(refused.status).toBeGreaterThanOrEqual(400);
  expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining(refusedText) } });
  expect(await scene.balance()).toBe(balance);
  await scene.checkBooks();
}
