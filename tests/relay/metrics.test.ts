// Metrics of calls, money and channels as Prometheus reads them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChannelStatus } from '#shared/channels.ts';
import type { ChannelKeyRecord } from '#server/db/records/channel-key.ts';
import { newKey } from '#server/exchange/keys/new-key.ts';
import { metricSpecs, prometheusName } from '#server/telemetry/catalogue.ts';
import { checkBooks } from '#server/slices/metrics/check-books.ts';
import { measureSite } from '#server/slices/metrics/measure-site.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { readMetrics, type Sample, sumOf } from '#tests/support/metrics-text.ts';
import { hasPrometheus, promtool } from '#tests/support/prometheus.ts';
import { createScene, type RelayScene, testModel, until } from '#tests/support/relay-scene.ts';

const token = 'the-token-of-the-metrics';
const calls = 'gen_ai_server_request_duration_seconds_count';
const attempts = 'gen_ai_client_operation_duration_seconds_count';

describe.each(oneEngine)('metrics on $kind', (engine) => {
  let scene: RelayScene;
  beforeAll(async () => {
    scene = await createScene(engine, {
      env: { METRICS_TOKEN: token },
      settings: { RetryTimes: '1' },
      channels: [{ priority: 9, models: `${testModel},gpt-4-gizmo-*,text-embedding-3-small` }, {}],
    });
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  const get = (authorization?: string) =>
    fetch(`${scene.app.origin}/metrics`, authorization === undefined ? {} : { headers: { authorization } });
  const scrape = async () => readMetrics(await (await get(`Bearer ${token}`)).text());
  /** Returns how much the sums grow by the work. */
  async function grown(work: () => Promise<unknown>, name: string, labels: Record<string, string> = {}): Promise<number> {
    const before = sumOf(await scrape(), name, labels);
    await work();
    return sumOf(await scrape(), name, labels) - before;
  }
  const done = async (calling: Promise<Response>) => (await calling).text();

  it('are for who has the token', async () => {
    expect((await get()).status).toBe(401);
    expect((await get(`Bearer ${token}x`)).status).toBe(401);
    expect((await get(`Basic ${token}`)).status).toBe(401);
    const response = await get(`bearer ${token}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  });

  it('a call counts once, with its tokens and its charge', async () => {
    const before = await scrape();
    await done(scene.chat());
    const [row] = (await scene.logs(1)).slice(-1);
    const after = await scrape();
    const more = (name: string, labels: Record<string, string> = {}) => sumOf(after, name, labels) - sumOf(before, name, labels);
    const labels = { gen_ai_request_model: testModel, gen_ai_operation_name: 'chat', gen_ai_provider_name: 'openai' };
    expect(more(calls, labels)).toBe(1);
    expect(more(attempts, { ...labels, tidegate_channel_id: String(scene.channelIds[0]) })).toBe(1);
    expect(more('gen_ai_client_inference_usage_input_tokens_total', { ...labels, gen_ai_token_modality: 'text' })).toBe(row?.prompt_tokens);
    expect(more('gen_ai_client_inference_usage_output_tokens_total', labels)).toBe(row?.completion_tokens);
    const charged = more('tidegate_money_charged_usd_total', { gen_ai_request_model: testModel });
    expect(charged * 500_000).toBeCloseTo(row?.quota ?? -1, 6);
    expect(more('tidegate_money_reserved_usd_total')).toBeGreaterThanOrEqual(charged);
  });

  it('a stream has its time to the first token and per further token', async () => {
    const stream = () => done(scene.chat({ stream: true }));
    expect(await grown(stream, 'gen_ai_server_time_to_first_token_seconds_count', { gen_ai_request_model: testModel })).toBe(1);
    expect(await grown(stream, 'gen_ai_server_time_per_output_token_seconds_count', { gen_ai_request_model: testModel })).toBe(1);
  });

  it('a retried call has two attempts, and the failed one its cause', async () => {
    const failing = () => {
      scene.upstream.queue({ status: 503 }, {});
      return done(scene.chat());
    };
    expect(await grown(failing, attempts)).toBe(2);
    expect(await grown(failing, attempts, { error_type: '503' })).toBe(1);
    expect(await grown(failing, 'tidegate_call_retries_total')).toBe(1);
    expect(await grown(failing, calls)).toBe(1);
  });

  it('a call that fails on all channels has its ending', async () => {
    const failing = () => {
      scene.upstream.queue({ status: 418 }, { status: 418 });
      return done(scene.chat());
    };
    expect(
      await grown(
        () => failing().then(() => until(async () => (sumOf(await scrape(), calls, { error_type: 'upstream_error' }) > 0 ? true : null))),
        calls,
        { error_type: 'upstream_error' },
      ),
    ).toBe(1);
    expect(sumOf(await scrape(), calls, { error_type: 'fault' })).toBe(0);
    // Statuses that providers make up are one class.
    expect(sumOf(await scrape(), attempts, { error_type: '4xx' })).toBeGreaterThan(0);
  });

  it('a refused call counts by its code, and no label is the caller’s', async () => {
    const secret = 'not-a-model-but-someone@example.com';
    expect(await grown(() => done(scene.chat({ model: secret })), 'tidegate_call_refusals_total', { error_type: 'model_not_found' })).toBe(
      1,
    );
    const gizmo = 'gpt-4-gizmo-g-of-someone';
    expect(await grown(() => done(scene.chat({ model: gizmo })), calls, { gen_ai_request_model: 'other' })).toBe(1);
    const text = await (await get(`Bearer ${token}`)).text();
    for (const word of [secret, gizmo, scene.user.username, scene.key.slice(3), scene.token.name, '127.0.0.1'])
      expect(text).not.toContain(word);
  });

  it('credits count by kind', async () => {
    const { ledger } = scene.app.context;
    const credit = () =>
      ledger.change({ account: 'user', id: scene.user.id, amount: 1_000_000, kind: 'call_refund', ref: 'r1', actorId: 0 });
    expect(await grown(credit, 'tidegate_money_credited_usd_total', { tidegate_entry_kind: 'refund' })).toBe(2);
    // The same event again changes nothing.
    expect(await grown(credit, 'tidegate_money_credited_usd_total')).toBe(0);
  });

  it('channels have their health, and deleted ones no series', async () => {
    const id = await scene.addChannel({ models: 'gpt-4.1-nano' });
    const labels = { tidegate_channel_id: String(id) };
    await done(scene.chat({ model: 'gpt-4.1-nano' }));
    const before = await scrape();
    expect(sumOf(before, 'tidegate_channel_health_ratio', labels)).toBe(1);
    expect(sumOf(before, 'tidegate_channel_enabled', labels)).toBe(1);
    expect(sumOf(before, attempts, labels)).toBe(1);
    await scene.app.context.db.collection('channels').take({ id });
    await scene.app.context.changes.announce('channel', id);
    await done(scene.chat());
    const named = (samples: Sample[]) =>
      samples.filter((sample) => Object.values(sample.labels).some((value) => value === String(id) || value === 'gpt-4.1-nano'));
    expect(named(before)).not.toEqual([]);
    expect(named(await scrape())).toEqual([]);
  });

  it('keys of a channel with several have their state, attempts and tokens by their id, and removed keys no series', async () => {
    const { context } = scene.app;
    const { db, changes, keyFigures } = context;
    const model = 'gpt-4.1-mini';
    const channel = await scene.addChannel({ models: model });
    const keys = db.collection('channel_keys');
    const give = async (text: string, fields: Partial<ChannelKeyRecord> = {}) => {
      const id = await db.nextId('channel_keys');
      await keys.insert({ ...newKey(context, { channel_id: channel, text }), ...fields, id });
      return id;
    };
    const well = await give('sk-the-key-that-works');
    const limited = await give('sk-the-key-with-a-limit');
    const byHand = await give('sk-the-key-of-last-year', { status: ChannelStatus.disabledByHand });
    const empty = await give('sk-the-key-of-an-empty-account', { status: ChannelStatus.disabledBySystem, no_balance: true });
    const refused = await give('sk-the-key-that-is-refused', { status: ChannelStatus.disabledBySystem });
    await changes.announce('channel', channel);
    scene.upstream.behave({ status: 429, retryAfter: 120 }, { key: 'sk-the-key-with-a-limit' });
    const of = (samples: Sample[], name: string, id: number, more: Record<string, string> = {}) =>
      sumOf(samples, name, { tidegate_channel_id: String(channel), tidegate_key_id: String(id), ...more });
    const attempted = (samples: Sample[], id: number, outcome: string) =>
      of(samples, 'tidegate_key_attempts_total', id, { tidegate_attempt_outcome: outcome });
    let made = 0;
    const before = await until(async () => {
      // Another conversation each, because one stays with its key.
      await done(scene.chat({ model, messages: [{ role: 'user', content: `Say ${made}` }] }));
      made += 1;
      const samples = await scrape();
      return attempted(samples, limited, 'failed') > 0 ? samples : null;
    });
    expect([attempted(before, well, 'answered'), attempted(before, well, 'failed')]).toEqual([made, 0]);
    expect([attempted(before, limited, 'answered'), attempted(before, limited, 'failed')]).toEqual([0, 1]);
    expect(of(before, 'tidegate_key_tokens_total', well)).toBeGreaterThan(0);
    const states = { healthy: well, cooling_down: limited, disabled: byHand, no_balance: empty, refused };
    for (const [state, id] of Object.entries(states)) {
      const labels = { tidegate_key_state: state };
      expect(of(before, 'tidegate_key_state', id)).toBe(1);
      expect(of(before, 'tidegate_key_state', id, labels)).toBe(1);
      expect(sumOf(before, 'tidegate_channel_keys', { tidegate_channel_id: String(channel), ...labels })).toBe(1);
    }
    // Channels with one key have none of these.
    expect(
      new Set(before.filter(({ name }) => /tidegate_(?:key_|channel_keys)/.test(name)).map(({ labels }) => labels['tidegate_channel_id'])),
    ).toEqual(new Set([String(channel)]));
    expect(await (await get(`Bearer ${token}`)).text()).not.toContain('sk-the-key');
    // Storing the counts changes no sum.
    await keyFigures.flush();
    await keyFigures.flush();
    const stored = await scrape();
    expect([attempted(stored, well, 'answered'), attempted(stored, limited, 'failed')]).toEqual([made, 1]);
    expect(of(stored, 'tidegate_key_tokens_total', well)).toBe(of(before, 'tidegate_key_tokens_total', well));
    await keys.remove({ id: well });
    await changes.announce('channel', channel);
    const after = await scrape();
    expect(after.filter(({ labels }) => labels['tidegate_key_id'] === String(well))).toEqual([]);
    expect(attempted(after, limited, 'failed')).toBe(1);
    expect([...keyFigures.totals(new Set([well, limited])).keys()]).toEqual([limited]);
  });

  it('every metric of the catalogue is there', async () => {
    await checkBooks(scene.app.context);
    await measureSite(scene.app.context);
    // A collection resets the delay of the event loop; its mean exists again when the measuring timer has fired.
    const samples = await until(async () => {
      const read = await scrape();
      return read.some(({ name }) => name === 'nodejs_eventloop_delay_mean_seconds') ? read : null;
    });
    const names = new Set(samples.map(({ name }) => name.replace(/_(?:bucket|count|sum)$/, '')));
    const missing = Object.values(metricSpecs)
      .map((spec) => prometheusName(spec))
      .filter((name) => !names.has(name));
    // Of tokens that the fake provider does not report, of what `work-metrics.test.ts` has, and of several workers.
    expect(missing.toSorted()).toEqual([
      'gen_ai_client_inference_usage_cache_read_input_tokens_total',
      'gen_ai_client_inference_usage_cache_write_input_tokens_total',
      'gen_ai_client_inference_usage_reasoning_output_tokens_total',
      'tidegate_bills_difference_usd',
      'tidegate_money_debited_usd_total',
      'tidegate_realtime_oldest_age_seconds',
      'tidegate_realtime_sessions',
      'tidegate_upkeep_running_age_seconds',
      'tidegate_work_ended_total',
      'tidegate_work_oldest_age_seconds',
      'tidegate_work_open',
      'tidegate_work_started_total',
      'tidegate_worker_up',
    ]);
    expect(samples.filter(({ value }) => !Number.isFinite(value))).toEqual([]);
  });

  it.skipIf(!hasPrometheus)('promtool finds nothing wrong', async () => {
    expect(promtool(['check', 'metrics'], await (await get(`Bearer ${token}`)).text())).toBe('');
  });
});
