// A batch at a provider whose files and batches are OpenAI's but for some of it: from its file to its results, and refused.
import { expect } from 'vitest';
import { pollBatches } from '#server/slices/batches/poll-batches.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { accounts, type FakeAccount, startFakeAccount } from '#tests/support/fake-accounts.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';
import type { Row } from './rows.ts';

const model = 'gpt-4o-mini.1';
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const settings = {
  FilesPerUser: '20',
  BatchesPerUser: '5',
  RetryTimes: '0',
  ModelRatio: JSON.stringify({ [model]: 1 }),
  CompletionRatio: JSON.stringify({ [model]: 4 }),
};
/** 10 + 5 × 4, at half the price. */
const each = 15;

export async function runBatch({ type }: Row): Promise<void> {
  let account: FakeAccount | undefined;
  const front = async (url: string) => (account = await startFakeAccount(type, url));
  await using scene = await createScene(embeddedEngine, { settings, channels: [{ models: model }], front });
  if (account === undefined) throw new Error('Nothing stands before the upstream');
  const { endpoint = '', model: named = model, hasJobs } = accounts[type] ?? {};
  scene.upstream.behave({ usage });
  const balance = await scene.balance();
  const requested = [lineOf('a'), lineOf('b')];
  const input = await leave(scene, requested);
  const made = await create(scene, input);
  expect(made).toMatchObject({ object: 'batch', status: 'validating', endpoint: '/v1/chat/completions' });
  const sent = (account.taken.at(-1) ?? '').trimEnd().split('\n');
  const lines = sent.map((line) => JSON.parse(line));
  if (hasJobs === true) {
    const body = { messages: [{ role: 'user', content: 'Say hello' }], max_tokens: 20 };
    expect(lines).toEqual(['a', 'b'].map((name) => ({ custom_id: name, body })));
  } else
    expect(lines).toMatchObject(['a', 'b'].map((name) => ({ custom_id: name, url: endpoint, body: { model: named, max_tokens: 20 } })));
  await account.run();
  scene.app.clock.advance(11 * 60_000);
  await pollBatches(scene.app.context);
  const ended = await read(scene, `/v1/batches/${String(made['id'])}`);
  expect(ended).toMatchObject({ status: 'completed', request_counts: { completed: 2, failed: 0 } });
  expect(await scene.balance()).toBe(balance - 2 * each);
  const results = await fetch(`${scene.app.origin}/v1/files/${String(ended['output_file_id'])}/content`, { headers: keyOf(scene) });
  expect((await results.text()).trimEnd().split('\n')).toHaveLength(2);
  await expectRefusal(scene, account, input);
  await expectFound(scene, account, input);
  await scene.checkBooks();
}

/** A rejection by the provider costs nothing and is reported. */
async function expectRefusal(scene: RelayScene, account: FakeAccount, input: string): Promise<void> {
  const balance = await scene.balance();
  account.failures.push(400);
  const refused = await scene.post('/v1/batches', { input_file_id: input, endpoint: '/v1/chat/completions', completion_window: '24h' });
  expect(refused.status).toBeGreaterThanOrEqual(400);
  expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining('400') } });
  const elsewhere = await scene.post('/v1/batches', { input_file_id: input, endpoint: '/v1/completions', completion_window: '24h' });
  expect(elsewhere.status).toBe(400);
  await elsewhere.text();
  expect(await scene.balance()).toBe(balance);
}

/** A batch whose creation was not answered is found by its file. */
async function expectFound(scene: RelayScene, account: FakeAccount, input: string): Promise<void> {
  const balance = await scene.balance();
  account.failures.push('lost');
  const { id } = await create(scene, input);
  const poll = async () => {
    scene.app.clock.advance(11 * 60_000);
    await pollBatches(scene.app.context);
  };
  await poll();
  await account.run();
  await poll();
  expect(await read(scene, `/v1/batches/${String(id)}`)).toMatchObject({ status: 'completed' });
  expect(await scene.balance()).toBe(balance - 2 * each);
}

function lineOf(name: string): object {
  const body = { model, messages: [{ role: 'user', content: 'Say hello' }], max_tokens: 20 };
  return { custom_id: name, method: 'POST', url: '/v1/chat/completions', body };
}

const keyOf = ({ key }: RelayScene) => ({ authorization: `Bearer ${key}` });

async function leave(scene: RelayScene, lines: readonly object[]): Promise<string> {
  const body = new FormData();
  body.append('purpose', 'batch');
  body.append('file', new File([lines.map((line) => JSON.stringify(line)).join('\n')], 'in.jsonl'));
  const response = await fetch(`${scene.app.origin}/v1/files`, { method: 'POST', headers: keyOf(scene), body });
  const reported: Record<string, unknown> = await response.json();
  expect(response.status, JSON.stringify(reported)).toBe(200);
  return String(reported['id']);
}

async function create(scene: RelayScene, input: string): Promise<Record<string, unknown>> {
  const response = await scene.post('/v1/batches', { input_file_id: input, endpoint: '/v1/chat/completions', completion_window: '24h' });
  const reported: Record<string, unknown> = await response.json();
  expect(response.status, JSON.stringify(reported)).toBe(200);
  return reported;
}

async function read(scene: RelayScene, path: string): Promise<Record<string, unknown>> {
  return (await fetch(`${scene.app.origin}${path}`, { headers: keyOf(scene) })).json();
}
