// Responses that exceed the limits of an upstream, of any length: the upstream's fault, and another channel is tried; unless its caller requested it.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { startRawUpstream } from '#tests/support/raw-upstream.ts';
import { createScene, type RelayScene, testModel } from '#tests/support/relay-scene.ts';

const deepOf = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
const deep = deepOf(20_000);
const claudeUsage = '"usage":{"input_tokens":3,"output_tokens":4}';
const block = `{"type":"tool_use","id":"t","name":"f","input":${deep}}`;
const message = `{"id":"m","type":"message","role":"assistant","model":"x","content":[${block}],"stop_reason":"tool_use",${claudeUsage}}`;
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: deep } };
const completion = JSON.stringify({
  id: 'x',
  choices: [{ index: 0, message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' }],
  usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
});
const chatUsage = '"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}';
const completionOf = (content: string) =>
  `{"id":"x","extra":${deep},"choices":[{"index":0,"message":{"role":"assistant","content":"${content}"},"finish_reason":"stop"}],${chatUsage}}`;
const nestedCompletion = completionOf('x');
/** Beyond what is decoded at once. */
const longText = 'x'.repeat(300_000);
const longCompletion = completionOf(longText);
const longMessage = message.replace('"content":[', `"content":[{"type":"text","text":"${longText}"},`);
/** Nothing is wrong with it but its first event. */
const lines = `${':\n'.repeat(100_000)}data: {"id":"x","choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;

const openai = { path: '/v1/chat/completions', type: 1 };
const claude = { path: '/v1/messages', type: 14 };
const json = 'application/json';
const sse = 'text/event-stream';

/** A scene whose first channel sends this, and whose second one is as it should be. */
async function arrange(
  engine: (typeof oneEngine)[number],
  { body, type, channelType }: { body: string; type: string; channelType: number },
) {
  const upstream = await startRawUpstream((response) => void response.end(body), { type });
  const first = { base_url: upstream.url, type: channelType, priority: 10 };
  const scene = await createScene(engine, { settings: { RetryTimes: '1' }, channels: [first, {}] });
  const close = async () => {
    await scene[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
  };
  return { scene, upstream, [Symbol.asyncDispose]: close };
}

const ask = (scene: RelayScene, path: string, stream: boolean) =>
  scene.post(path, { model: testModel, max_tokens: 100, messages: [{ role: 'user', content: 'Say hello' }], stream });

describe.each(oneEngine)('what no upstream may send, on $kind', (engine) => {
  test.each([
    { what: 'an event of too many lines', path: openai.path, stream: true, body: lines, type: sse, channelType: openai.type },
    { what: 'comments without an end', path: claude.path, stream: true, body: lines, type: sse, channelType: openai.type },
    {
      what: 'a first event nested too deep',
      path: openai.path,
      stream: true,
      body: `data: ${deep}\n\n`,
      type: sse,
      channelType: claude.type,
    },
  ])('$what ($path): another channel answers', async ({ path, stream, ...sent }) => {
    await using arranged = await arrange(engine, sent);
    const { scene, upstream } = arranged;
    const answer = await ask(scene, path, stream);
    expect(answer.status).toBe(200);
    expect(await answer.text()).not.toContain('[[[');
    expect(upstream.calls).toBe(1);
    expect(scene.upstream.requests).toHaveLength(1);
    const [row] = await scene.logs(1);
    expect(row?.other?.['attempts']).toMatchObject([{ channel: scene.channelIds[0] }, { channel: scene.channelIds[1], status: 200 }]);
    await scene.checkBooks();
  });

  test.each([
    { what: 'an input', path: openai.path, body: message, channelType: claude.type },
    { what: 'an input, passed on', path: claude.path, body: message, channelType: claude.type },
    { what: 'an input of a long answer, passed on', path: claude.path, body: longMessage, channelType: claude.type },
    { what: 'arguments', path: claude.path, body: completion, channelType: openai.type },
    { what: 'short arguments', path: openai.path, body: message.replace(deep, deepOf(1500)), channelType: claude.type },
    { what: 'an answer', path: openai.path, body: nestedCompletion, channelType: openai.type },
    { what: 'a long answer', path: openai.path, body: longCompletion, channelType: openai.type },
    { what: 'an answer that came where a stream was wanted', path: openai.path, body: message, channelType: claude.type, stream: true },
    { what: 'one that calls itself a stream', path: openai.path, body: message, channelType: claude.type, stream: true, type: sse },
  ])(
    '$what nested too deep ($path) is charged, asked for once, and no channel’s fault',
    async ({ path, stream = false, type = json, ...sent }) => {
      await using arranged = await arrange(engine, { ...sent, type });
      const { scene, upstream } = arranged;
      const answer = await ask(scene, path, stream);
      expect(answer.status).toBe(502);
      expect(await answer.text()).toContain('The answer of the upstream is nested too deep');
      expect(upstream.calls).toBe(1);
      expect(scene.upstream.requests).toEqual([]);
      const [row] = await scene.logs(1);
      expect(row).toMatchObject({ channel_id: scene.channelIds[0], other: { attempts: [{ error: 'upstream_too_deep' }] } });
      expect(row).toMatchObject({ prompt_tokens: 3, completion_tokens: 4 });
      expect(row?.quota).toBeGreaterThan(0);
      expect(await scene.app.context.figures.slots.read(0)).toEqual([]);
      await scene.checkBooks();
    },
  );

  test.each([
    { what: 'an answer', body: message.replace(claudeUsage, '"x":1'), path: openai.path, channelType: claude.type },
    { what: 'arguments', body: completion.replace(/,"usage":.*/, '}'), path: claude.path, channelType: openai.type },
  ])('$what nested too deep without a usage is counted and charged', async ({ path, ...sent }) => {
    await using arranged = await arrange(engine, { ...sent, type: json });
    const { scene } = arranged;
    expect((await ask(scene, path, false)).status).toBe(502);
    const [row] = await scene.logs(1);
    expect(row?.completion_tokens).toBeGreaterThan(500);
    expect(row?.quota).toBeGreaterThan(0);
    await scene.checkBooks();
  });

  test('arguments that begin a stream and are nested too deep end it, charged', async () => {
    const called = `{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":${deep}}}`;
    const body = `data: {"id":"x","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[${called}]}}]}\n\n`;
    await using arranged = await arrange(engine, { body, type: sse, channelType: openai.type });
    const { scene, upstream } = arranged;
    expect(await (await ask(scene, claude.path, true)).text()).toContain('The answer of the upstream is nested too deep');
    expect(upstream.calls).toBe(1);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ channel_id: scene.channelIds[0], other: { ending: 'upstream_error' } });
    expect(row?.completion_tokens).toBeGreaterThan(500);
    await scene.checkBooks();
  });

  test('a later event nested too deep ends the stream with an error, charged, and no channel’s fault', async () => {
    const event = (name: string, fields: string) => `event: ${name}\ndata: {"type":"${name}",${fields}}\n\n`;
    const start = event('message_start', `"message":{"id":"m","role":"assistant","model":"x","content":[],${claudeUsage}}`);
    const text = event('content_block_start', '"index":0,"content_block":{"type":"text","text":"hello"}');
    const use = event('content_block_start', `"index":1,"content_block":${block}`);
    const end = event('message_stop', '"x":1');
    await using arranged = await arrange(engine, { body: start + text + use + end, type: sse, channelType: claude.type });
    const { scene } = arranged;
    const answer = await (await ask(scene, openai.path, true)).text();
    expect(answer).toContain('hello');
    expect(answer).toContain('upstream_too_deep');
    expect(answer).not.toContain('[[[');
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ ending: 'upstream_error', attempts: [{ error: 'upstream_too_deep' }] });
    // The input has come as well, though it is not passed on.
    expect(row?.completion_tokens).toBeGreaterThan(500);
    expect(await scene.app.context.figures.slots.read(0)).toMatchObject([{ calls: 1, failures: 0 }]);
    await scene.checkBooks();
  });

  /** Longer than any whole response that is passed on. */
  const endless = `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"${'x'.repeat(34_000_000)}"}}]}`;

  test('a response that is too long because its caller asked for so much is charged, asked for once, and no channel’s fault', async () => {
    await using arranged = await arrange(engine, { body: endless, type: json, channelType: openai.type });
    const { scene, upstream } = arranged;
    const fields = { n: 8, logprobs: true, top_logprobs: 20 };
    const answer = await scene.chat(fields, { 'accept-language': 'en' });
    expect(answer.status).toBe(502);
    expect(await answer.text()).toContain('The answer of the upstream is too large');
    expect(upstream.calls).toBe(1);
    expect(scene.upstream.requests).toEqual([]);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ channel_id: scene.channelIds[0], other: { attempts: [{ error: 'upstream_too_large' }] } });
    expect(row?.completion_tokens).toBeGreaterThan(5_000);
    expect(row?.quota).toBeGreaterThan(0);
    expect(await scene.app.context.figures.slots.read(0)).toEqual([]);
    await scene.checkBooks();
  });

  test('one that nobody asked to be so long is its upstream’s fault: another channel answers', async () => {
    await using arranged = await arrange(engine, { body: endless, type: json, channelType: openai.type });
    const { scene } = arranged;
    expect((await scene.chat()).status).toBe(200);
    expect((await scene.logs(1))[0]?.channel_id).toBe(scene.channelIds[1]);
    await scene.checkBooks();
  });
});
