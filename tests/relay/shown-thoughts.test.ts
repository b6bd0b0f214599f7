// Callers who request thoughts get them from providers that return them only on request; and plain thoughts of earlier turns go back to hosts whose
// models read them.
import { describe, expect, test } from 'vitest';
import { embeddedEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

type Body = Record<string, unknown>;

const settings = { SelfUseModeEnabled: 'true', RetryTimes: '0' };
const setting = JSON.stringify({ formats: ['openai-responses'] });
const open = (models: string) => createScene(embeddedEngine, { settings, channels: [{ type: 1, setting, models }] });
const sent = (scene: RelayScene) => scene.upstream.requests.map(({ body }) => body as Body);
const messages = [{ role: 'user', content: 'When is high water?' }];
const contents = [{ role: 'user', parts: [{ text: 'When is high water?' }] }];

interface Requesting {
  path: (model: string) => string;
  body: (model: string) => Body;
  /** The field that requests thoughts. */
  field: string;
  /** The thoughts in a whole response. */
  shown: string;
}

const claude = (thinking: object) => (model: string) => ({ model, max_tokens: 3000, thinking, messages });
const gemini = (thinkingConfig: object) => () => ({ contents, generationConfig: { thinkingConfig } });
const interactions = (generation_config: object) => (model: string) => ({ model, input: 'When is high water?', generation_config });
const geminiPath = (model: string) => `/v1beta/models/${model}:generateContent`;
const requesting: Record<string, Requesting> = {
  'Gemini, includeThoughts': {
    path: geminiPath,
    body: gemini({ includeThoughts: true, thinkingLevel: 'HIGH' }),
    field: 'generationConfig.thinkingConfig.includeThoughts',
    shown: '"thought":true',
  },
  'Claude, display: summarized': {
    path: () => '/v1/messages',
    body: claude({ type: 'adaptive', display: 'summarized' }),
    field: 'thinking.display',
    shown: '"type":"thinking"',
  },
  'Claude, a budget': {
    path: () => '/v1/messages',
    body: claude({ type: 'enabled', budget_tokens: 2000 }),
    field: 'thinking',
    shown: '"type":"thinking"',
  },
  'Interactions, thinking_summaries: auto': {
    path: () => '/v1beta/interactions',
    body: interactions({ thinking_summaries: 'auto' }),
    field: 'generation_config.thinking_summaries',
    shown: '"type":"thought"',
  },
};

describe('thoughts that their caller wants to see', () => {
  test.each(Object.entries(requesting))('%s', async (_name, { path, body, field, shown }) => {
    await using scene = await open('gpt-6.1-sol');
    scene.upstream.behave({ reasoning: 'The moon is full.', text: 'At noon.' });
    const ask = () => scene.post(path('gpt-6.1-sol'), body('gpt-6.1-sol'));
    const first = await ask();
    expect([first.status, await first.text()]).toEqual([200, expect.stringContaining(shown)]);
    expect(sent(scene)).toMatchObject([{ reasoning: { summary: 'auto' } }]);
    // An organisation without access to them gets the answer without, and the field is left out for a while.
    scene.upstream.queue({
      status: 400,
      error: {
        message: 'Your organization must be verified to generate reasoning summaries. Please go to: https://platform.openai.com/settings',
        type: 'invalid_request_error',
        param: 'reasoning.summary',
        code: 'unsupported_value',
      },
    });
    for (let call = 0; call < 2; call += 1) {
      const response = await ask();
      expect([response.status, response.headers.get('x-tidegate-dropped')?.split(', ')]).toEqual([200, expect.arrayContaining([field])]);
      await response.text();
    }
    const summaries = sent(scene).map(({ reasoning }) => (reasoning as Body | undefined)?.['summary']);
    expect(summaries).toEqual(['auto', 'auto', undefined, undefined]);
    await scene.checkBooks();
  });

  test('a host that does not know the field, and a stream', async () => {
    await using scene = await open('some-thinker');
    const error = { message: 'Unrecognized request argument supplied: reasoning.summary', type: 'invalid_request_error' };
    scene.upstream.queue({ status: 422, error });
    const body = { ...claude({ type: 'adaptive', display: 'summarized' })('some-thinker'), stream: true };
    const response = await scene.post('/v1/messages', body);
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('message_stop')]);
    expect(response.headers.get('x-tidegate-dropped')).toContain('thinking.display');
    expect(sent(scene).map((requested) => 'reasoning' in requested)).toEqual([true, false]);
  });

  test('nobody else is asked for them', async () => {
    await using scene = await open('gpt-6.1-sol,gpt-4.1');
    const calls: [string, Body][] = [
      ['/v1/messages', claude({ type: 'enabled', budget_tokens: 2000, display: 'omitted' })('gpt-6.1-sol')],
      ['/v1/messages', claude({ type: 'adaptive' })('gpt-6.1-sol')],
      ['/v1/messages', claude({ type: 'disabled' })('gpt-6.1-sol')],
      [geminiPath('gpt-6.1-sol'), gemini({ thinkingLevel: 'HIGH' })()],
      ['/v1beta/interactions', interactions({ thinking_level: 'high' })('gpt-6.1-sol')],
      // It does not think.
      ['/v1/messages', claude({ type: 'enabled', budget_tokens: 2000 })('gpt-4.1')],
    ];
    for (const [path, body] of calls) {
      const response = await scene.post(path, body);
      expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
    }
    expect(sent(scene).filter(({ reasoning }) => (reasoning as Body | undefined)?.['summary'] !== undefined)).toEqual([]);
  });
});

describe('plain thoughts', () => {
  const thought = { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'The moon is full.' }] };
  const call = { type: 'function_call', call_id: 'c1', name: 'get_tide', arguments: '{}' };
  const input = [...messages, thought, call, { type: 'function_call_output', call_id: 'c1', output: 'Noon' }];

  test.each([
    ['some-thinker', true],
    ['gpt-oss-120b', true],
    ['gpt-6.1-sol', false],
  ])('as items, before %s: %s', async (model, isSent) => {
    await using scene = await open(model);
    const response = await scene.post('/v1/responses', { model, input });
    expect([response.status, response.headers.get('x-tidegate-dropped')]).toEqual([200, isSent ? null : 'reasoning items']);
    await response.text();
    expect(((sent(scene)[0]?.['input'] ?? []) as Body[]).filter(({ type }) => type === 'reasoning')).toEqual(isSent ? [thought] : []);
  });

  test('of a caller of another format', async () => {
    await using scene = await open('some-thinker');
    const said = [...messages, { role: 'assistant', content: 'At noon.', reasoning_content: 'The moon is full.' }, ...messages];
    const response = await scene.post('/v1/chat/completions', { model: 'some-thinker', messages: said });
    expect([response.status, response.headers.get('x-tidegate-dropped')]).toEqual([200, null]);
    await response.text();
    const content = [{ type: 'reasoning_text', text: 'The moon is full.' }];
    expect(sent(scene)[0]?.['input']).toMatchObject([{ role: 'user' }, { type: 'reasoning', summary: [], content }, {}, {}]);
  });
});
