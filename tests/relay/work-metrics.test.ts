// Metrics of work that lasts longer than a request, and of what only the database knows.
import OpenAI, { toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import { pollBatches } from '#server/slices/batches/poll-batches.ts';
import { measureSite } from '#server/slices/metrics/measure-site.ts';
import { pollTasks } from '#server/work/tasks/poll-tasks.ts';
import { engines, oneEngine } from '#tests/support/engines.ts';
import { type FakeBatches, startFakeBatches } from '#tests/support/fake-batches.ts';
import { readMetrics, sumOf } from '#tests/support/metrics-text.ts';
import { openRealtime, realtimeModel } from '#tests/support/realtime-scene.ts';
import { createScene, testModel, until } from '#tests/support/relay-scene.ts';
import { createTaskScene } from '#tests/support/task-scene.ts';
import type { TestApp } from '#tests/support/test-app.ts';

const token = 'the-token-of-the-metrics';
const env = { METRICS_TOKEN: token };

async function scrape({ origin }: TestApp): Promise<(name: string, labels?: Record<string, string>) => number> {
  const response = await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  const samples = readMetrics(await response.text());
  return (name, labels) => sumOf(samples, `tidegate_${name}`, labels);
}

describe.each(engines)('metrics of work on $kind', (engine) => {
  test('tasks count when they are submitted and when they end, and unfinished ones have their number and age', async () => {
    await using scene = await createTaskScene(engine, { env });
    await scene.addChannel({ type: 36 });
    await scene.addChannel();
    const { context } = scene.app;
    scene.app.clock.freeze();
    const customer = await scene.customer();
    const [good, bad] = [(await customer.music()).body.data, (await customer.music()).body.data];
    scene.later(60);
    await customer.imagine();
    scene.later(30);
    await measureSite(context);
    const before = await scrape(scene.app);
    const music = { tidegate_work_kind: 'music', gen_ai_request_model: 'suno_music' };
    expect(before('work_started_total', music)).toBe(2);
    expect(before('work_ended_total')).toBe(0);
    expect(before('work_open', music)).toBe(2);
    expect(before('work_open', { tidegate_work_kind: 'drawing', gen_ai_request_model: 'mj_imagine' })).toBe(1);
    expect(before('work_oldest_age_seconds', { tidegate_work_kind: 'music' })).toBeCloseTo(90, -1);
    expect(before('work_oldest_age_seconds', { tidegate_work_kind: 'drawing' })).toBeCloseTo(30, -1);
    scene.upstream.report(good, { status: 'SUCCESS', data: [] });
    scene.upstream.report(bad, { status: 'FAILURE', fail_reason: 'too short' });
    await pollTasks(context);
    await pollTasks(context);
    const after = await scrape(scene.app);
    expect(after('work_ended_total', { ...music, tidegate_work_outcome: 'finished' })).toBe(1);
    expect(after('work_ended_total', { ...music, tidegate_work_outcome: 'failed' })).toBe(1);
    expect(after('work_ended_total')).toBe(2);
  });

  test('batches count when they are charged and when they end', async () => {
    const opened: FakeBatches[] = [];
    const front = async (url: string) => {
      const made = await startFakeBatches(url);
      opened.push(made);
      return made;
    };
    await using scene = await createScene(engine, { env, front, settings: { FilesPerUser: '20', BatchesPerUser: '5' } });
    const client = new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: scene.key, maxRetries: 0 });
    const body = { model: testModel, messages: [{ role: 'user', content: 'Say hello' }], max_tokens: 20 };
    const line = JSON.stringify({ custom_id: 'one', method: 'POST', url: '/v1/chat/completions', body });
    const { id } = await client.files.create({ file: await toFile(Buffer.from(line), 'in.jsonl'), purpose: 'batch' });
    await client.batches.create({ input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' });
    await measureSite(scene.app.context);
    const batch = { tidegate_work_kind: 'batch', gen_ai_request_model: testModel };
    const before = await scrape(scene.app);
    expect([before('work_started_total', batch), before('work_open', batch), before('work_ended_total')]).toEqual([1, 1, 0]);
    await opened[0]?.run();
    scene.app.clock.advance(11 * 60_000);
    await pollBatches(scene.app.context);
    await until(async () =>
      (await scrape(scene.app))('work_ended_total', { ...batch, tidegate_work_outcome: 'finished' }) === 1 ? true : null,
    );
  });
});

describe.each(oneEngine)('metrics of the installation on $kind', (engine) => {
  test('realtime sessions count while they are open, with the age of the oldest', async () => {
    await using opened = await openRealtime(engine, { env });
    const { app } = opened.scene;
    app.clock.advance(40_000);
    const labels = { gen_ai_request_model: realtimeModel };
    const before = await scrape(app);
    expect([before('realtime_sessions', labels), before('work_started_total', { ...labels, tidegate_work_kind: 'realtime' })]).toEqual([
      1, 1,
    ]);
    expect(before('realtime_oldest_age_seconds')).toBeCloseTo(40, -1);
    opened.client[Symbol.dispose]();
    const after = await until(async () => {
      const read = await scrape(app);
      return read('work_ended_total', { ...labels, tidegate_work_outcome: 'finished' }) === 1 ? read : null;
    });
    expect([after('realtime_sessions'), after('work_ended_total')]).toEqual([0, 1]);
  });

  test('bills, reviews of prices and running backups have a value', async () => {
    await using scene = await createScene(engine, { env });
    const { context, clock } = scene.app;
    const { db } = context;
    const day = (date: string, billed: string, fields: object = {}) => ({
      id: `4:${date}`,
      account_id: 4,
      day: date,
      costs: [{ model: testModel, amount: billed }],
      ours: [{ model: testModel, amount: '10' }],
      ...fields,
    });
    await db.collection('bill_accounts').insert({
      id: 4,
      name: 'ours',
      provider: 'openai',
      channel_ids: [],
      zone: 'UTC',
      currency: 'USD',
      rate: '1',
      factor: '1',
      models: [],
      base_url: '',
      key_cipher: '',
      revision: 1,
    });
    for (const record of [day('2026-01-01', '99'), day('2026-01-02', '12.5'), day('2026-01-03', '50', { is_partial: true })])
      await db.collection('bill_days').insert(record);
    await db.collection('price_reviews').insert({
      id: testModel,
      revision: 'r',
      state: 'waiting',
      entries: [],
      lines: [],
      guards: [],
      is_new: false,
      unplaced: [],
      provider: '',
      source: '',
      found_at: 0,
    });
    await db.collection('backups').insert({
      id: 1,
      name: 'a',
      state: 'running',
      running: 1,
      trigger: 'console',
      user_id: 0,
      place: 'folder',
      where: '',
      started_at: clock.now() - 120_000,
      alive_until: clock.now() + 60_000,
      step: 'rows',
      progress: 0,
      progress_all: 0,
      has_key: false,
    });
    await measureSite(context);
    const read = await scrape(scene.app);
    expect(read('bills_difference_usd', { tidegate_bill_account_id: '4' })).toBe(2.5);
    expect(read('bills_difference_usd')).toBe(2.5);
    expect(read('price_updates_waiting')).toBe(1);
    expect(read('upkeep_running_age_seconds', { tidegate_upkeep_kind: 'backup' })).toBeCloseTo(120, -1);
    // The next measurement waits, so that it takes a hundredth of the time at most.
    const announced = () => db.collection('changes').count({ kind: 'measured_site' }, 10);
    expect(await announced()).toBe(1);
    await measureSite(context);
    expect(await announced()).toBe(1);
  });
});
