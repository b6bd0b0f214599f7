// Images of providers with their own API.
import { expect } from 'vitest';
import { embeddedEngine } from '#tests/support/engines.ts';
import { type FakePainter, type PainterName, painters, startFakePainter } from '#tests/support/fake-painters.ts';
import { refusedText } from '#tests/support/provider-front.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import { failures } from './facts.ts';
import type { Row } from './rows.ts';

const models: Readonly<Record<PainterName, readonly string[]>> = {
  dashscope: ['wanx2.1-t2i-turbo', 'qwen-image-plus'],
  google: ['imagen-4.0-generate-001', 'gemini-3-pro-image'],
  minimax: ['image-01'],
  ark: ['doubao-seedream-4-0'],
  vertex: ['imagen-4.0-generate-001'],
  wenxin: ['sd_xl'],
  zhipu: ['cogview-4'],
  qianfan: ['irag-1.0'],
  siliconflow: ['black-forest-labs/FLUX.1-schnell'],
};

/** Both of Zhipu's platforms have the same API. */
const likeOthers: ReadonlyMap<number, number> = new Map([[16, 26]]);

/** If null, images of that type use the shared API. */
export function painterOf(type: number): PainterName | null {
  const requested = likeOthers.get(type) ?? type;
  return painterNames.find((name) => painters[name].type === requested) ?? null;
}

const painterNames = Object.keys(painters).filter((name): name is PainterName => name in painters);

/** Made, and refused in the provider's own words. */
export async function orderPicture({ type }: Row): Promise<void> {
  const name = painterOf(type);
  if (name === null) throw new Error(`Nothing paints as type ${type} does`);
  let painter: FakePainter | undefined;
  const front = async (url: string) => (painter = await startFakePainter(name, url));
  const channels = [{ type, models: models[name].join(',') }];
  await using scene = await createScene(embeddedEngine, { settings: { SelfUseModeEnabled: 'true', RetryTimes: '0' }, channels, front });
  for (const model of models[name]) {
    const ask = () => scene.post('/v1/images/generations', { model, prompt: 'a tide' });
    painter?.behave({ polls: 0 });
    const made = await ask();
    const text = await made.text();
    expect(made.status, text).toBe(200);
    expect(text).toMatch(/"(?:url|b64_json)":"/);
    const balance = await scene.balance();
    painter?.behave({ refusal: refusalOf(type) });
    const refused = await ask();
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining(refusedText) } });
    expect(await scene.balance()).toBe(balance);
  }
  expect(painter?.taken).toHaveLength(2 * models[name].length);
  await scene.checkBooks();
}

function refusalOf(type: number): { status: number; body: object } {
  if (type === 15) return { status: 200, body: { error_code: 336_003, error_msg: refusedText } };
  const body = { error: { code: 400, message: refusedText, status: 'INVALID_ARGUMENT' } };
  return { status: 400, body, ...failures[type]?.(refusedText) };
}
