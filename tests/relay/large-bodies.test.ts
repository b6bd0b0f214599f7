// Bodies whose long texts are stored separately until they are sent: every provider receives them exactly, also after a retry on another channel, and
// the call is answered and charged like any other.
import { describe, expect, test } from 'vitest';
import { isObject } from '#server/framing/loose-json.ts';
import { callsOfEveryClient } from '#tests/support/client-calls.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, testModel } from '#tests/support/relay-scene.ts';

const providers = {
  chat: {},
  claude: { type: 14 },
  gemini: { type: 24 },
  responses: { setting: '{"formats":["openai-responses"]}' },
} as const;
/** More than a body that is parsed as it is, with everything that JSON escapes. */
const long = `begin "${'用户 \u{1F600} é\n\\ '.repeat(60_000)}" end`;

/** All texts in it. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

const mark = /[\da-f]{24}:\d/;

describe.each(oneEngine)('large bodies on $kind', (engine) => {
  test.each(Object.entries(providers))('go to a provider that speaks %s as they were written', async (_name, channel) => {
    await using scene = await createScene(engine, { channels: [channel, channel], settings: { RetryTimes: '2' } });
    for (const isStream of [false, true]) {
      for (const { client, path, body } of callsOfEveryClient(testModel, long, isStream)) {
        scene.upstream.reset();
        // The first channel is out of order: the second one gets the same request.
        scene.upstream.queue({ status: 500 });
        const answer = await scene.post(path, body);
        const reported = await answer.text();
        expect([client, answer.status, mark.exec(reported)]).toEqual([client, 200, null]);
        expect(scene.upstream.requests, client).toHaveLength(2);
        for (const request of scene.upstream.requests) {
          expect(textsIn(request.body).includes(long), client).toBe(true);
          expect(mark.test(request.text), client).toBe(false);
          expect(Number(request.headers['content-length']), client).toBe(Buffer.byteLength(request.text));
        }
      }
    }
    await scene.checkBooks();
  });

  test.each(Object.entries(providers))(
    'have long arguments and results of tools, for a provider that speaks %s',
    async (_name, channel) => {
      await using scene = await createScene(engine, { channels: [channel] });
      const call = { id: 'call_1', type: 'function', function: { name: 'write', arguments: JSON.stringify({ text: long }) } };
      const messages = [
        { role: 'user', content: 'Write' },
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: long },
      ];
      const answer = await scene.chat({
        messages,
        tools: [{ type: 'function', function: { name: 'write', parameters: { type: 'object' } } }],
      });
      expect(answer.status).toBe(200);
      const [request] = scene.upstream.requests;
      const texts = textsIn(request?.body);
      expect(texts.filter((text) => text.includes(long) || text.includes(JSON.stringify(long)))).toHaveLength(2);
      expect(mark.test(request?.text ?? '')).toBe(false);
    },
  );

  test('that are broken are refused, whatever is broken', async () => {
    await using scene = await createScene(engine);
    const whole = JSON.stringify({ model: testModel, messages: [{ role: 'user', content: long }] });
    const broken = {
      'an end that is missing': whole.slice(0, -2),
      'a line break in the text': whole.replace(' end', '\n end'),
      'an escape that there is not': whole.replace(' end', '\\q end'),
      'a comma too much': whole.replace(/\}$/, ',}'),
    };
    for (const [name, text] of Object.entries(broken)) {
      const answer = await scene.post('/v1/chat/completions', text);
      expect([name, answer.status]).toEqual([name, 400]);
      expect(await answer.text()).toContain('JSON');
    }
    expect(scene.upstream.requests).toHaveLength(0);
    expect(scene.app.context.bodies.bytes).toBe(0);
  });

  test('have the model of the provider, and whatever a channel sets', async () => {
    const channel = { model_mapping: JSON.stringify({ [testModel]: 'mapped' }), param_override: JSON.stringify({ temperature: 0.5 }) };
    await using scene = await createScene(engine, { channels: [channel] });
    const answer = await scene.chat({ messages: [{ role: 'user', content: long }], seed: 7 });
    expect(answer.status).toBe(200);
    expect(scene.upstream.requests[0]?.body).toMatchObject({ model: 'mapped', temperature: 0.5, seed: 7, messages: [{ content: long }] });
    expect(scene.app.context.bodies.bytes).toBe(0);
  });
});
