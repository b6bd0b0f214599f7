// A conversation begun by one vendor's model and continued by another's, as after a change of models, if the second one uses the caller's own format:
// it is not sent thoughts that it cannot have signed.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

const settings = { SelfUseModeEnabled: 'true' };
const responses = JSON.stringify({ formats: ['openai-responses'] });
const others = {
  chat: { type: 1, setting: '', models: 'first', model_mapping: '{"first":"gpt-5-mini"}' },
  claude: { type: 14, setting: '', models: 'first', model_mapping: '{"first":"claude-sonnet-4-5"}' },
  gemini: { type: 24, setting: '', models: 'first', model_mapping: '{"first":"gemini-3-flash-preview"}' },
  responses: { type: 1, setting: responses, models: 'first', model_mapping: '{"first":"gpt-5-mini"}' },
};
type Other = keyof typeof others;

const claude = { type: 14, models: 'claude-sonnet-4-5' };
const gemini = { type: 24, models: 'gemini-3-flash-preview' };
const toolCalls = [{ name: 'get_tide', arguments: '{"port":"Brest"}' }];
type Body = Record<string, unknown>;

async function ask(scene: RelayScene, path: string, body: Body): Promise<{ body: Body; dropped: string | null }> {
  const response = await scene.post(path, body);
  const answer = (await response.json()) as Body;
  expect([response.status, answer['error']]).toEqual([200, undefined]);
  return { body: answer, dropped: response.headers.get('x-tidegate-dropped') };
}

const lastSent = (scene: RelayScene): Body => scene.upstream.requests.at(-1)?.body as Body;

describe.each(oneEngine)('thoughts of other vendors, on $kind', (engine) => {
  const open = (other: Other, own: object) => createScene(engine, { settings, channels: [others[other], own] });

  describe.each(['chat', 'gemini', 'responses'] as const)('begun at %s and gone on with at Claude', (other) => {
    const thinking = { type: 'enabled', budget_tokens: 1024 };
    const input_schema = { type: 'object', properties: { port: { type: 'string' } } };
    const tools = [{ name: 'get_tide', input_schema }];
    const question = { role: 'user', content: 'When is high water?' };
    const say = (model: string, messages: object[], fields: object = {}) => ({ model, max_tokens: 3000, thinking, messages, ...fields });

    test('after a text the model goes on and thinks', async () => {
      await using scene = await open(other, claude);
      scene.upstream.behave({ reasoning: 'The moon is full.', text: 'At noon.' });
      const first = await ask(scene, '/v1/messages', say('first', [question]));
      expect(first.body['content']).toMatchObject([{ type: 'thinking' }, { type: 'text' }]);
      const messages = [question, { role: 'assistant', content: first.body['content'] }, { role: 'user', content: 'Sure?' }];
      const second = await ask(scene, '/v1/messages', say('claude-sonnet-4-5', messages));
      expect(second.dropped).toBe('thinking blocks');
      expect(lastSent(scene)).toMatchObject({ thinking, messages: [question, { content: [{ type: 'text' }] }, {}] });
      // Its own come back to it as they are.
      const own = [...messages, { role: 'assistant', content: second.body['content'] }, { role: 'user', content: 'Really?' }];
      await ask(scene, '/v1/messages', say('claude-sonnet-4-5', own));
      expect(lastSent(scene)).toMatchObject({ messages: [{}, {}, {}, { content: second.body['content'] }, {}] });
      await scene.checkBooks();
    });

    test('after a call the result is read, without thoughts that would have to stand before the call', async () => {
      await using scene = await open(other, claude);
      scene.upstream.behave({ reasoning: 'Ask the harbour.', toolCalls, text: 'At noon.' });
      const first = await ask(scene, '/v1/messages', say('first', [question], { tools }));
      const content = first.body['content'] as { type: string; id: string }[];
      const result = { type: 'tool_result', tool_use_id: content.find(({ type }) => type === 'tool_use')?.id, content: 'Noon' };
      const messages = [question, { role: 'assistant', content }, { role: 'user', content: [result] }];
      const edits = [{ type: 'clear_thinking_20251015', keep: 'all' }, { type: 'clear_tool_uses_20250919' }];
      const fields = { tools, context_management: { edits } };
      const response = await scene.post('/v1/messages', say('claude-sonnet-4-5', messages, fields), { 'anthropic-beta': 'x-2026-01-01' });
      expect([response.status, response.headers.get('x-tidegate-dropped')]).toEqual([
        200,
        'thinking blocks, thinking, context_management.edits.0',
      ]);
      expect(lastSent(scene)).toMatchObject({ messages: [{}, { content: [{ type: 'tool_use' }] }, {}] });
      expect(lastSent(scene)).toMatchObject({ context_management: { edits: [edits[1]] } });
      expect(lastSent(scene)).not.toHaveProperty('thinking');
      await response.text();
    });
  });

  test.each(['chat', 'claude', 'responses'] as const)('begun at %s and gone on with at Gemini', async (other) => {
    await using scene = await open(other, gemini);
    const config = { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 } } };
    const tools = [
      { functionDeclarations: [{ name: 'get_tide', parameters: { type: 'OBJECT', properties: { port: { type: 'STRING' } } } }] },
    ];
    const question = { role: 'user', parts: [{ text: 'When is high water?' }] };
    scene.upstream.behave({ reasoning: 'Ask the harbour.', toolCalls, text: 'At noon.' });
    const first = await ask(scene, '/v1beta/models/first:generateContent', { contents: [question], tools, ...config });
    const [candidate] = first.body['candidates'] as {
      content: { parts: { functionCall?: { id: string }; thoughtSignature?: string }[] };
    }[];
    const parts = candidate?.content.parts ?? [];
    const isSigned = other !== 'chat';
    expect(parts.some(({ thoughtSignature }) => thoughtSignature !== undefined)).toBe(isSigned);
    const id = parts.find(({ functionCall }) => functionCall !== undefined)?.functionCall?.id;
    const result = { functionResponse: { id, name: 'get_tide', response: { output: 'Noon' } } };
    const contents = [question, { role: 'model', parts }, { role: 'user', parts: [result] }];
    const second = await ask(scene, '/v1beta/models/gemini-3-flash-preview:generateContent', { contents, tools, ...config });
    expect(second.dropped).toBe(isSigned ? 'thought parts' : null);
    const [, turn] = lastSent(scene)['contents'] as { parts: object[] }[];
    expect(turn?.parts.at(-1)).toEqual({
      functionCall: { id, name: 'get_tide', args: { port: 'Brest' } },
      thoughtSignature: 'skip_thought_signature_validator',
    });
    await scene.checkBooks();
  });
});
