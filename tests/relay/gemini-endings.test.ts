// Names of Gemini's models whose endings say how much to think, from callers of its own format and of another.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

const names = [
  'gemini-2.5-flash-thinking',
  'gemini-2.5-flash-nothinking',
  'gemini-2.5-flash-thinking-2048',
  'gemini-2.5-pro-nothinking',
  'gemini-2.5-flash-high',
  'gemini-3-flash-preview-thinking',
  'gemini-3-flash-preview-low',
  'gemini-3-flash-preview-nothinking',
];
const settings = { SelfUseModeEnabled: 'true' };
const contents = [{ role: 'user', parts: [{ text: 'High water?' }] }];

async function requested(scene: RelayScene, model: string, caller: 'gemini' | 'chat', more: object = {}) {
  const response =
    caller === 'chat'
      ? await scene.chat({ model, max_tokens: 1000, ...more })
      : await scene.post(`/v1beta/models/${model}:generateContent`, { contents, generationConfig: { maxOutputTokens: 1000, ...more } });
  expect(response.status, await response.text()).toBe(200);
  const { path, body } = scene.upstream.requests.at(-1) ?? {};
  const { thinkingConfig } = Object(Object(body).generationConfig);
  return { path, thinkingConfig };
}

describe.each(oneEngine)('endings of names on $kind', (engine) => {
  const open = (more: Record<string, string> = {}) =>
    createScene(engine, { settings: { ...settings, ...more }, channels: [{ type: 24, models: names.join(',') }] });

  test.each(['gemini', 'chat'] as const)('are cut off, and say how much to think (%s)', async (caller) => {
    await using scene = await open();
    const reported: Record<string, unknown> = {};
    for (const name of names) {
      const { path, thinkingConfig } = await requested(scene, name, caller);
      expect(path).toBe(`/v1beta/models/${/^gemini-(?:2\.5-(?:flash|pro)|3-flash-preview)/.exec(name)?.[0]}:generateContent`);
      reported[name] = thinkingConfig;
    }
    expect(reported).toEqual({
      'gemini-2.5-flash-thinking': { includeThoughts: true, thinkingBudget: 600 },
      'gemini-2.5-flash-nothinking': { includeThoughts: false, thinkingBudget: 0 },
      'gemini-2.5-flash-thinking-2048': { includeThoughts: true, thinkingBudget: 2048 },
      'gemini-2.5-pro-nothinking': { includeThoughts: false, thinkingBudget: 128 },
      'gemini-2.5-flash-high': { includeThoughts: true, thinkingBudget: 24_576 },
      'gemini-3-flash-preview-thinking': { includeThoughts: true },
      'gemini-3-flash-preview-low': { includeThoughts: true, thinkingLevel: 'LOW' },
      'gemini-3-flash-preview-nothinking': { includeThoughts: false, thinkingLevel: 'MINIMAL' },
    });
    const rows = await scene.logs(names.length);
    expect(rows.map(({ model_name }) => model_name)).toEqual(names);
    await scene.checkBooks();
  });

  test('count less than what the caller says itself', async () => {
    await using scene = await open();
    const own = { thinkingConfig: { thinkingBudget: 7 } };
    expect((await requested(scene, 'gemini-2.5-flash-thinking', 'gemini', own)).thinkingConfig).toEqual(own.thinkingConfig);
    expect((await requested(scene, 'gemini-2.5-flash-high', 'chat', { reasoning_effort: 'low' })).thinkingConfig).toMatchObject({
      thinkingBudget: 1024,
    });
  });

  test('are names as any other where the setting says so', async () => {
    await using scene = await open({ 'gemini.thinking_adapter_enabled': 'false' });
    const { path, thinkingConfig } = await requested(scene, 'gemini-2.5-flash-thinking', 'gemini');
    expect(path).toBe('/v1beta/models/gemini-2.5-flash-thinking:generateContent');
    expect(thinkingConfig).toBeUndefined();
  });
});
