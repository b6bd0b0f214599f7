import { expect, test } from 'vitest';
import { ark } from './ark.ts';

const order = {
  model: 'doubao-seedance-1-0-lite',
  requestedModel: 'doubao-seedance-1-0-lite',
  seconds: 5,
  width: 1280,
  height: 720,
  pictures: [],
  negativePrompt: undefined,
  seed: undefined,
  hasSound: undefined,
};

async function reportedPrompt(prompt: string): Promise<string> {
  const { body } = await ark.order({ ...order, prompt }, { key: 'k', record: {} } as never);
  if (!Buffer.isBuffer(body)) throw new Error('An order has a body');
  return JSON.parse(body.toString()).content[0].text;
}

test.each([
  ['a tide --dur 12 at noon', 'a tide   at noon'],
  ['a tide --resolution=1080p ----rs 4k', 'a tide'],
  ['a tide -- duration: 30', 'a tide'],
  ['a --d--dur 12ur 30', 'a --d 30'],
  ['one -- --dur 5 dur 30 within another', 'one dur 30 within another'],
  ['well-known -dur, and --durable', 'well-known -dur, and --durable'],
])('what would be read out of %j as an order is not sent', async (prompt, reported) => {
  expect((await reportedPrompt(prompt)).replaceAll(/\s+/g, ' ')).toBe(reported.replaceAll(/\s+/g, ' '));
});

test('a prompt of nothing but dashes holds nobody up', async () => {
  const prompt = '-'.repeat(100_000);
  expect(await reportedPrompt(prompt)).toBe(prompt);
  expect(await reportedPrompt('-- '.repeat(30_000))).toHaveLength(89_999);
});
