// Traces of calls, as a collector and providers receive them, and what a missing collector does to calls.
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { startFakeCollector } from '#tests/support/fake-collector.ts';
import { createScene, testModel } from '#tests/support/relay-scene.ts';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const callersTrace = Buffer.from('0af7651916cd43dd8448eb211c80319c', 'hex');
const soon = { OTEL_BSP_SCHEDULE_DELAY: '10', OTEL_METRIC_EXPORT_INTERVAL: '100' };

function read(header: string | string[] | undefined): { trace: Buffer; span: Buffer; flags: string } {
  const [, trace = '', span = '', flags = ''] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(String(header)) ?? [];
  return { trace: Buffer.from(trace, 'hex'), span: Buffer.from(span, 'hex'), flags };
}

describe.each(oneEngine)('traces on $kind', (engine) => {
  it('a call has a span, and each attempt one that the provider continues; a caller’s trace is linked', async () => {
    await using collector = await startFakeCollector();
    await using scene = await createScene(engine, {
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...soon },
      settings: { RetryTimes: '1' },
      channels: [{ priority: 9 }, {}],
    });
    scene.upstream.queue({ status: 503 }, {});
    const prompt = 'a prompt that no collector may see';
    await (await scene.chat({ messages: [{ role: 'user', content: prompt }] }, { traceparent, tracestate: 'vendor=1' })).text();
    const [failed, answered] = await Promise.all([0, 1].map(async (index) => (await scene.upstream.request(index)).headers));
    const [first, second] = [read(failed?.['traceparent']), read(answered?.['traceparent'])];
    expect(answered?.['tracestate']).toBeUndefined();
    expect(first.trace.length).toBe(16);
    expect(first.trace.equals(second.trace)).toBe(true);
    expect(first.span.equals(second.span)).toBe(false);
    expect(first.trace.equals(callersTrace)).toBe(false);
    const [row] = await scene.logs(1);
    const requestId = row?.request_id ?? '?';
    await collector.got('/v1/traces', first.trace, first.span, second.span, callersTrace, requestId, `chat ${testModel}`, 'error.type');
    expect(collector.received.some(({ body }) => body.includes('fault'))).toBe(false);
    // Metrics go the same way.
    await collector.got('/v1/metrics', 'gen_ai.server.request.duration', testModel);
    for (const word of [prompt, scene.key.slice(3), scene.user.username]) {
      expect(collector.received.filter(({ body }) => body.includes(word))).toEqual([]);
    }
  });

  it('callers’ traces are continued if the operator says so, with their sampling', async () => {
    await using collector = await startFakeCollector();
    await using scene = await createScene(engine, {
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_METRICS_EXPORTER: 'none', TRACE_CALLERS: 'continue', ...soon },
    });
    await (await scene.chat({}, { traceparent: traceparent.replace(/01$/, '00') })).text();
    const unsampled = read((await scene.upstream.request(0)).headers['traceparent']);
    expect([unsampled.trace.equals(callersTrace), unsampled.flags]).toEqual([true, '00']);
    await (await scene.chat({ stream: true }, { traceparent })).text();
    const sampled = read((await scene.upstream.request(1)).headers['traceparent']);
    expect([sampled.trace.equals(callersTrace), sampled.flags]).toEqual([true, '01']);
    await collector.got('/v1/traces', callersTrace, sampled.span, Buffer.from('b7ad6b7169203331', 'hex'));
    expect(collector.received.filter(({ path, body }) => path !== '/v1/traces' || body.includes(unsampled.span))).toEqual([]);
  });

  it('prompts are exported only if the operator says so, in every format, without media and keys', async () => {
    await using collector = await startFakeCollector();
    await using scene = await createScene(engine, {
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_METRICS_EXPORTER: 'none',
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
        TRACE_CALLERS: 'continue',
        ...soon,
      },
    });
    const unsampled = 'a prompt of a call that is not sampled';
    await (
      await scene.chat({ messages: [{ role: 'user', content: unsampled }] }, { traceparent: traceparent.replace(/01$/, '00') })
    ).text();
    const image = { type: 'image_url', image_url: { url: 'https://pictures.example/signed?secret=1' } };
    const messages = [
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] },
    ];
    await (await scene.chat({ messages, stream: true })).text();
    const claude = await fetch(`${scene.app.origin}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': scene.key, 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ model: testModel, max_tokens: 20, messages: [{ role: 'user', content: 'In another format' }] }),
    });
    expect(claude.status).toBe(200);
    await collector.got(
      '/v1/traces',
      'gen_ai.input.messages',
      '[{"role":"system","parts":[{"type":"text","content":"Be brief"}]},{"role":"user","parts":[{"type":"text","content":"What is this?"},{"type":"image"}]}]',
      '[{"role":"user","parts":[{"type":"text","content":"In another format"}]}]',
    );
    for (const word of [unsampled, 'pictures.example', scene.key.slice(3), scene.user.username])
      expect(collector.received.filter(({ body }) => body.includes(word))).toEqual([]);
  });

  it('without an exporter nothing is sent on, and a header that is no traceparent is ignored', async () => {
    await using scene = await createScene(engine);
    await (await scene.chat({}, { traceparent })).text();
    expect((await scene.upstream.request(0)).headers['traceparent']).toBeUndefined();
    await using traced = await createScene(engine, {
      env: { OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:9' },
    });
    for (const wrong of ['00-zz', `${traceparent}-more`, '00-00000000000000000000000000000000-b7ad6b7169203331-01']) {
      expect((await traced.chat({}, { traceparent: wrong })).status).toBe(200);
    }
  });

  it('a collector that never answers holds up neither calls nor the end of the server', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const scene = await createScene(engine, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_MAX_QUEUE_SIZE: '4', ...soon } });
    try {
      for (let call = 0; call < 12; call += 1) expect((await scene.chat()).status).toBe(200);
      await scene.checkBooks();
    } finally {
      await scene[Symbol.asyncDispose]();
      silent.close();
    }
  });
});
