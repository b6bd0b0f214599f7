// Calls through Bedrock's Converse from callers of every format, and what they are charged.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { type FakeBedrock, startFakeBedrock } from '#tests/support/fake-bedrock.ts';
import { createScene } from '#tests/support/relay-scene.ts';

const user = (content: string) => ({ role: 'user', content });

describe.each(oneEngine.map((engine) => ({ engine, kind: engine.kind })))('calls by Converse on $kind', ({ engine }) => {
  const settings = { SelfUseModeEnabled: 'true' };
  const model = 'nova-pro-v1:0';

  async function open() {
    let bedrock: FakeBedrock | undefined;
    const front = async (url: string) => (bedrock = await startFakeBedrock(url));
    const scene = await createScene(engine, { settings, channels: [{ models: model }], front });
    if (bedrock === undefined) throw new Error('Nothing stands before the upstream');
    return { scene, bedrock };
  }

  const requested = [
    { path: '/v1/chat/completions', body: { model, max_tokens: 50, messages: [user('Tide?')] } },
    { path: '/v1/messages', body: { model, max_tokens: 50, messages: [user('Tide?')] } },
    { path: '/v1/responses', body: { model, max_output_tokens: 50, input: 'Tide?' } },
    { path: '/v1/completions', body: { model, max_tokens: 50, prompt: 'Tide?' } },
    { path: `/v1beta/models/${model}`, body: { contents: [{ role: 'user', parts: [{ text: 'Tide?' }] }] } },
  ];

  test.each(requested)('$path is answered and charged alike, whole and streamed', async ({ path, body }) => {
    const { scene, bedrock } = await open();
    await using _scene = scene;
    scene.upstream.behave({ text: 'At noon in Brest.' });
    const isGemini = path.startsWith('/v1beta');
    const whole = await scene.post(isGemini ? `${path}:generateContent` : path, body);
    expect(whole.status).toBe(200);
    expect(await whole.text()).toContain('At noon in Brest.');
    const stream = await scene.post(isGemini ? `${path}:streamGenerateContent?alt=sse` : path, isGemini ? body : { ...body, stream: true });
    expect(stream.status).toBe(200);
    const text = await stream.text();
    for (const word of ['noon', 'Brest']) expect(text).toContain(word);
    const rows = await scene.logs(2);
    const [first, second] = rows.map(({ prompt_tokens, completion_tokens, quota }) => ({ prompt_tokens, completion_tokens, quota }));
    expect(first?.completion_tokens).toBeGreaterThan(0);
    expect(first?.quota).toBeGreaterThan(0);
    expect(second).toEqual(first);
    expect(bedrock.taken).toHaveLength(2);
    await scene.checkBooks();
  });

  test('an exception in a stream ends it, and what came is paid for; one before it goes to another channel', async () => {
    const { scene, bedrock } = await open();
    await using _scene = scene;
    scene.upstream.behave({ text: 'one two three four five six' });
    bedrock.fail('internalServerException', 6);
    expect(await (await scene.chat({ model, stream: true })).text()).not.toContain('[DONE]');
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ ending: 'upstream_error' });
    expect(row?.completion_tokens).toBeGreaterThan(0);
    const other = await scene.addChannel({ type: 1, models: model, base_url: scene.upstream.url, key: 'sk-a', priority: -1 });
    bedrock.fail('throttlingException', 0);
    expect((await scene.chat({ model, stream: true })).status).toBe(200);
    expect((await scene.logs(2))[1]?.channel_id).toBe(other);
    await scene.checkBooks();
  });
});
