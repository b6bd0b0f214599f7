// What no upstream may send, however long it is: it is that upstream's fault, and another channel answers.
import { describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { startRawUpstream } from '#tests/support/raw-upstream.ts';
import { createScene, testModel } from '#tests/support/relay-scene.ts';
import type { RelayScene } from '#tests/support/relay-scene.ts';

const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
const claudeUsage = '"usage":{"input_tokens":3,"output_tokens":4}';
const block = `{"type":"tool_use","id":"t","name":"f","input":${deep}}`;
const message = `{"id":"m","type":"message","role":"assistant","model":"x","content":[${block}],"stop_reason":"tool_use",${claudeUsage}}`;
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: deep } };
const completion = JSON.stringify({
  id: 'x',
  choices: [{ index: 0, message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' }],
  usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
});
const nestedCompletion = `{"id":"x","extra":${deep},"choices":[{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}]}`;
/** Nothing is wrong with it but its first event. */
const lines = `${':\n'.repeat(100_000)}data: {"id":"x","choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;

const openai = { path: '/v1/chat/completions', type: 1 };
const claude = { path: '/v1/messages', type: 14 };
const json = 'application/json';
const sse = 'text/event-stream';

/** A scene whose first channel sends this, and whose second one is as it should be. */
async function arrange(engine: (typeof engines)[number], { body, type, channelType }: { body: string; type: string; channelType: number }) {
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

describe.each(engines)('what no upstream may send, on $kind', (engine) => {
  test.each([
    { what: 'an input nested too deep', path: openai.path, stream: false, body: message, type: json, channelType: claude.type },
    { what: 'arguments nested too deep', path: claude.path, stream: false, body: completion, type: json, channelType: openai.type },
    { what: 'an answer nested too deep', path: openai.path, stream: false, body: nestedCompletion, type: json, channelType: openai.type },
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

  test('a later event nested too deep ends the stream with an error, charged', async () => {
    const event = (name: string, fields: string) => `event: ${name}\ndata: {"type":"${name}",${fields}}\n\n`;
    const start = event('message_start', `"message":{"id":"m","role":"assistant","model":"x","content":[],${claudeUsage}}`);
    const text = event('content_block_start', '"index":0,"content_block":{"type":"text","text":"hello"}');
    const use = event('content_block_start', `"index":1,"content_block":${block}`);
    const end = event('message_stop', '"x":1');
    await using arranged = await arrange(engine, { body: start + text + use + end, type: sse, channelType: claude.type });
    const { scene } = arranged;
    const answer = await (await ask(scene, openai.path, true)).text();
    expect(answer).toContain('hello');
    expect(answer).toContain('invalid_upstream_response');
    expect(answer).not.toContain('[[[');
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ ending: 'invalid_answer' });
    expect(row?.quota).toBeGreaterThan(0);
    await scene.checkBooks();
  });
});
