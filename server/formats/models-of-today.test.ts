// Requests to current models: rejected fields are not sent, and each change is reported to the caller.
import { describe, expect, it } from 'vitest';
import { callKinds } from '#server/kinds/registry.ts';
import { factsOf } from '#server/model-facts/find-facts.ts';
import { efforts } from '#server/model-facts/model-record.ts';
import { routedRequest } from '#tests/support/routed-request.ts';
import { buildPreparedChannel, type ChannelFields } from '#tests/support/build-channel.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { clientDialects } from './registry.ts';

type Caller = 'openai-chat' | 'openai-responses' | 'claude' | 'gemini';
type Body = Record<string, unknown>;

const prompts: Readonly<Record<Caller, Body>> = {
  'openai-chat': { messages: [{ role: 'user', content: 'Hi' }] },
  'openai-responses': { input: 'Hi' },
  claude: { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 9000 },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
};

/** Request without its prompt as sent upstream, its path, and the dropped fields. */
function sent(caller: Caller, { type, model, ...fields }: { type: number; model: string } & Body, channel: ChannelFields = {}) {
  const body: Body = { model, ...prompts[caller], ...fields };
  const request = routedRequest({
    client: clientDialects[caller],
    clientHeaders: {},
    settings: defaultSettings,
    kind: callKinds.chat,
    channel: buildPreparedChannel({ type, ...channel }),
    body,
    rawText: JSON.stringify(body),
    originModel: model,
    isStream: false,
    forceUsage: true,
  });
  if (request instanceof Promise) throw new Error('Nothing has to be waited for');
  const written: Body = JSON.parse(request.body.toString());
  return { body: written, path: request.path, dropped: request.dropped };
}

const functions = [{ type: 'function', function: { name: 'get', parameters: { type: 'object', properties: {} } } }];
const claudeTools = [{ name: 'get', input_schema: { type: 'object', properties: {} } }];

describe('Claude models that always think and are not forced', () => {
  const models = ['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-fable-5-1', 'claude-opus-6'];

  it.each(models)('%s gets tool choice auto and thinks, whatever its caller requests in its own format', (model) => {
    const thinking = { type: 'disabled' };
    const choice = { type: 'tool', name: 'get', disable_parallel_tool_use: true };
    const { body, dropped } = sent('claude', { type: 14, model, tools: claudeTools, tool_choice: choice, thinking, temperature: 0.3 });
    expect(body).toMatchObject({ tool_choice: { type: 'auto', disable_parallel_tool_use: true }, thinking: { type: 'adaptive' } });
    expect(body['tool_choice']).not.toHaveProperty('name');
    expect(body).not.toHaveProperty('temperature');
    expect(dropped).toEqual(['tool_choice', 'thinking', 'temperature']);
  });

  it.each(models)('%s gets the same from chat callers', (model) => {
    const requested = { type: 14, model, tools: functions, tool_choice: 'required', reasoning_effort: 'none' };
    const { body, dropped } = sent('openai-chat', requested);
    expect(body).toMatchObject({ tool_choice: { type: 'auto' }, thinking: { type: 'adaptive' }, output_config: { effort: 'low' } });
    expect(dropped).toEqual(['tool_choice', 'reasoning_effort']);
  });

  it('get a budget as an effort, which is reported', () => {
    const thinking = { type: 'enabled', budget_tokens: 20_000 };
    const { body, dropped } = sent('claude', { type: 14, model: 'claude-opus-5-5', thinking });
    expect(body).toMatchObject({ thinking: { type: 'adaptive' }, output_config: { effort: 'high' } });
    expect(dropped).toEqual(['thinking']);
  });
});

describe('other Claude models', () => {
  it('have a forced tool and no thinking if they support that', () => {
    const requested = { tools: claudeTools, tool_choice: { type: 'any' }, thinking: { type: 'disabled' } };
    const { body, dropped } = sent('claude', { type: 14, model: 'claude-haiku-5-5', ...requested });
    expect(body).toMatchObject(requested);
    expect(dropped).toEqual([]);
  });

  it('that support only a token budget get one within the limit', () => {
    const requested = { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } };
    const { body, dropped } = sent('claude', { type: 14, model: 'claude-sonnet-4-5', ...requested });
    expect(body).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 7200 }, max_tokens: 9000 });
    expect(body).not.toHaveProperty('output_config');
    expect(dropped).toEqual(['thinking', 'output_config.effort']);
  });

  it.each([
    ['claude-opus-5-5', 128_000],
    ['claude-sonnet-4-5', 64_000],
    ['claude-3-haiku-20240307', 4096],
    ['claude-of-somebody', 8192],
  ])('%s gets its maximum output if no limit is set', (model, limit) => {
    expect(sent('openai-chat', { type: 14, model, reasoning_effort: 'high' }).body).toMatchObject({ max_tokens: limit });
  });

  it('have a thinking budget within it', () => {
    const { body } = sent('openai-responses', { type: 14, model: 'claude-sonnet-4-5', reasoning: { effort: 'max' } });
    expect(body).toMatchObject({ max_tokens: 64_000, thinking: { type: 'enabled', budget_tokens: 60_800 } });
  });
});

describe('functions of chat callers', () => {
  const pathOf = (model: string, fields: Body = {}, channel: ChannelFields = {}) =>
    sent('openai-chat', { type: 1, model, tools: functions, ...fields }, channel).path;

  it.each(['gpt-5.4', 'gpt-5.6-sol', 'gpt-6-astra', 'gpt-6.1-sol', 'gpt-7'])('go to %s by Responses', (model) => {
    expect(pathOf(model)).toBe('/v1/responses');
    expect(pathOf(model, { tools: undefined })).toBe('/v1/chat/completions');
  });

  it('stay in chat completions if the model does not think, or the channel does not support Responses', () => {
    expect(pathOf('gpt-6-luna', { reasoning_effort: 'none' })).toBe('/v1/chat/completions');
    expect(pathOf('gpt-6.1-sol', { reasoning_effort: 'none' })).toBe('/v1/responses');
    expect(pathOf('gpt-5.2')).toBe('/v1/chat/completions');
    expect(pathOf('gpt-6.1-sol', {}, { base_url: 'https://gateway.example' })).toBe('/v1/chat/completions');
  });

  it('stay in chat completions if Responses cannot carry the request', () => {
    expect(pathOf('gpt-6.1-sol', { n: 2 })).toBe('/v1/chat/completions');
  });

  it('go by Responses to a deployment with a custom name', () => {
    const channel = { base_url: 'https://res.openai.azure.com', model_mapping: '{"gpt-6.1-sol":"prod-1"}' };
    const { body, path } = sent('openai-chat', { type: 3, model: 'gpt-6.1-sol', tools: functions, max_tokens: 99 }, channel);
    expect([body['model'], body['max_output_tokens'], path]).toEqual(['prod-1', 99, '/openai/v1/responses']);
  });
});

describe('Gemini models without sampling parameters', () => {
  it('get no sampling and no rejected level, from callers of any format', () => {
    const generationConfig = { temperature: 0.3, topK: 5, thinkingConfig: { thinkingLevel: 'MINIMAL' } };
    const own = sent('gemini', { type: 24, model: 'gemini-3.8-flash', generationConfig });
    expect(own.body['generationConfig']).toEqual({ thinkingConfig: { thinkingLevel: 'LOW' } });
    const at = 'generationConfig.';
    expect(own.dropped).toEqual([`${at}temperature`, `${at}topK`, `${at}thinkingConfig.thinkingLevel`]);
    const other = sent('openai-chat', { type: 24, model: 'gemini-3.8-flash', reasoning_effort: 'xhigh', temperature: 0.3, top_p: 1 });
    expect(other.body['generationConfig']).toEqual({ thinkingConfig: { includeThoughts: true, thinkingLevel: 'HIGH' } });
    expect(other.dropped).toEqual(['temperature', 'reasoning_effort']);
  });

  it('get a budget for a level if they do not support levels', () => {
    const generationConfig = { thinkingConfig: { thinkingLevel: 'HIGH' } };
    const { body } = sent('gemini', { type: 24, model: 'gemini-2.5-flash', generationConfig });
    expect(body['generationConfig']).toEqual({ thinkingConfig: { thinkingBudget: 24_576 } });
  });
});

describe('an effort', () => {
  const said: Readonly<Record<Caller, (effort: string) => Body>> = {
    'openai-chat': (effort) => ({ reasoning_effort: effort }),
    'openai-responses': (effort) => ({ reasoning: { effort } }),
    claude: (effort) => (effort === 'none' ? { thinking: { type: 'disabled' } } : { output_config: { effort } }),
    gemini: (effort) => ({ generationConfig: { thinkingConfig: { thinkingLevel: effort.toUpperCase() } } }),
  };
  /** Efforts that each format has. */
  const words: Readonly<Record<Caller, readonly string[]>> = {
    'openai-chat': efforts,
    'openai-responses': efforts,
    claude: efforts.filter((one) => one !== 'minimal'),
    gemini: ['minimal', 'low', 'medium', 'high', 'xhigh'],
  };
  const targets = [
    { type: 1, models: ['gpt-5', 'gpt-5.2', 'gpt-5.6-sol', 'gpt-6-luna', 'gpt-6.1-sol'] },
    { type: 14, models: ['claude-opus-4-6', 'claude-opus-5', 'claude-opus-5-5', 'claude-haiku-5-5'] },
    { type: 24, models: ['gemini-3-pro-preview', 'gemini-3.5-flash', 'gemini-3.8-flash'] },
  ];
  const callers: readonly Caller[] = ['openai-chat', 'openai-responses', 'claude', 'gemini'];

  const cases = targets.flatMap(({ type, models }) => models.flatMap((model) => callers.map((caller) => ({ type, model, caller }))));
  it.each(cases)('of a $caller caller is one that $model supports, and a change is reported', ({ type, model, caller }) => {
    const taken = factsOf(model)?.thinking?.efforts ?? [];
    for (const effort of words[caller]) {
      const { body, dropped } = sent(caller, { type, model, ...said[caller](effort) });
      const written = effortIn(body);
      if (written !== 'none') expect(taken, effort).toContain(written);
      expect(dropped.length > 0, `${effort} as ${written}`).toBe(written !== effort);
    }
  });
});

describe('thinking in the fields of the provider', () => {
  type Wish = 'none' | 'low' | 'medium' | 'xhigh' | 'max';
  const on = { thinking: { type: 'enabled' } };
  const off = { thinking: { type: 'disabled' } };
  const adaptive = { thinking: { type: 'adaptive' } };
  const effort = (reasoning_effort: string) => ({ reasoning_effort });
  /** Fields sent for each request, and whether a change is reported. */
  const cases: readonly [type: number, model: string, Record<Wish, readonly [Body, boolean]>][] = [
    [
      43,
      'deepseek-v4-pro',
      {
        none: [off, false],
        low: [{ ...on, ...effort('low') }, false],
        medium: [{ ...on, ...effort('high') }, true],
        xhigh: [{ ...on, ...effort('high') }, true],
        max: [{ ...on, ...effort('max') }, false],
      },
    ],
    [
      43,
      'deepseek-v5-pro',
      {
        none: [off, false],
        low: [{ ...on, ...effort('low') }, false],
        medium: [{ ...on, ...effort('high') }, true],
        xhigh: [{ ...on, ...effort('high') }, true],
        max: [{ ...on, ...effort('max') }, false],
      },
    ],
    [
      25,
      'kimi-k3.1-pro',
      {
        none: [effort('low'), true],
        low: [effort('low'), false],
        medium: [effort('low'), true],
        xhigh: [effort('high'), true],
        max: [effort('max'), false],
      },
    ],
    [25, 'kimi-k2.6', { none: [off, false], low: [on, true], medium: [on, true], xhigh: [on, true], max: [on, true] }],
    [25, 'kimi-k2.7-code', { none: [{}, true], low: [{}, true], medium: [{}, true], xhigh: [{}, true], max: [{}, true] }],
    [
      26,
      'glm-5.3',
      {
        none: [effort('low'), true],
        low: [effort('low'), false],
        medium: [effort('low'), true],
        xhigh: [effort('high'), true],
        max: [effort('max'), false],
      },
    ],
    [26, 'glm-4.7', { none: [off, false], low: [on, true], medium: [on, true], xhigh: [on, true], max: [on, true] }],
    [
      17,
      'qwen3.7-plus',
      {
        none: [{ enable_thinking: false }, false],
        low: [{ enable_thinking: true, thinking_budget: 4096 }, false],
        medium: [{ enable_thinking: true, thinking_budget: 16_384 }, false],
        xhigh: [{ enable_thinking: true }, false],
        max: [{ enable_thinking: true }, false],
      },
    ],
    [
      17,
      'qwen3.8-max',
      {
        none: [{ enable_thinking: false }, false],
        low: [{ enable_thinking: true, ...effort('low') }, false],
        medium: [{ enable_thinking: true, ...effort('medium') }, false],
        xhigh: [{ enable_thinking: true, ...effort('xhigh') }, false],
        max: [{ enable_thinking: true, ...effort('xhigh') }, true],
      },
    ],
    [
      48,
      'grok-4.7',
      {
        none: [effort('low'), true],
        low: [effort('low'), false],
        medium: [effort('medium'), false],
        xhigh: [effort('xhigh'), false],
        max: [effort('xhigh'), true],
      },
    ],
    [
      48,
      'grok-4.3',
      {
        none: [effort('none'), false],
        low: [effort('low'), false],
        medium: [effort('medium'), false],
        xhigh: [effort('high'), true],
        max: [effort('high'), true],
      },
    ],
    [48, 'grok-4', { none: [{}, true], low: [{}, true], medium: [{}, true], xhigh: [{}, true], max: [{}, true] }],
    [
      35,
      'MiniMax-M3',
      { none: [off, false], low: [adaptive, true], medium: [adaptive, true], xhigh: [adaptive, true], max: [adaptive, true] },
    ],
    [35, 'MiniMax-M2.7', { none: [{}, true], low: [{}, true], medium: [{}, true], xhigh: [{}, true], max: [{}, true] }],
    [
      20,
      'moonshotai/kimi-k2.6',
      {
        none: [effort('none'), false],
        low: [effort('low'), false],
        medium: [effort('medium'), false],
        xhigh: [effort('xhigh'), false],
        max: [effort('xhigh'), true],
      },
    ],
  ];
  const said: Readonly<Record<Caller, (wish: Wish) => Body>> = {
    'openai-chat': (wish) => ({ reasoning_effort: wish }),
    'openai-responses': (wish) => ({ reasoning: { effort: wish } }),
    claude: (wish) => (wish === 'none' ? { thinking: { type: 'disabled' } } : { output_config: { effort: wish } }),
    gemini: (wish) => ({
      generationConfig: { thinkingConfig: wish === 'none' ? { thinkingBudget: 0 } : { thinkingLevel: wish.toUpperCase() } },
    }),
  };
  const fields = new Set(['thinking', 'enable_thinking', 'thinking_budget', 'reasoning_effort']);
  const callers: readonly Caller[] = ['openai-chat', 'openai-responses', 'claude', 'gemini'];

  it.each(cases.flatMap(([type, model, wishes]) => callers.map((caller) => ({ type, model, wishes, caller }))))(
    'goes to $model (type $type) of a $caller caller',
    ({ type, model, wishes, caller }) => {
      for (const wish of ['none', 'low', 'medium', 'xhigh', 'max'] as const) {
        // Gemini has no such effort.
        if (caller === 'gemini' && wish === 'max') continue;
        const [wanted, isNamed] = wishes[wish];
        const { body, dropped } = sent(caller, { type, model, ...said[caller](wish) }, { setting: '{"formats":["openai-chat"]}' });
        const written = Object.fromEntries(Object.entries(body).filter(([name]) => fields.has(name)));
        expect(written, wish).toEqual(wanted);
        expect(dropped.length > 0, `${wish}: ${dropped.join()}`).toBe(isNamed);
      }
    },
  );

  it.each(callers)('is a token budget if a %s caller sets one and the model supports it', (caller) => {
    const budgets: Readonly<Partial<Record<Caller, Body>>> = {
      claude: { thinking: { type: 'enabled', budget_tokens: 5000 } },
      gemini: { generationConfig: { thinkingConfig: { thinkingBudget: 5000 } } },
    };
    const requested = budgets[caller];
    if (requested === undefined) return;
    const channel = { setting: '{"formats":["openai-chat"]}' };
    const { body, dropped } = sent(caller, { type: 17, model: 'qwen3.8-max', ...requested }, channel);
    expect(body).toMatchObject({ enable_thinking: true, thinking_budget: 5000 });
    expect(dropped).toEqual([]);
    const other = sent(caller, { type: 43, model: 'deepseek-v4-pro', ...requested }, channel);
    expect(other.body).toMatchObject({ ...on, reasoning_effort: 'high' });
    expect(other.dropped).toEqual([]);
  });

  it('stays unchanged if a chat caller sets it in the fields of the provider', () => {
    const requested = { thinking: { type: 'disabled' } };
    expect(sent('openai-chat', { type: 43, model: 'deepseek-v4-pro', ...requested })).toMatchObject({ body: requested, dropped: [] });
    const flag = { enable_thinking: true, thinking_budget: 77 };
    expect(sent('openai-chat', { type: 17, model: 'qwen3.7-plus', ...flag })).toMatchObject({ body: flag, dropped: [] });
  });

  it('limits are sent in the field that the model supports', () => {
    for (const [type, model] of [
      [43, 'deepseek-v4-pro'],
      [26, 'glm-5.3'],
      [17, 'qwen3.8-max'],
    ] as const) {
      const { body } = sent('openai-responses', { type, model, max_output_tokens: 99 }, { setting: '{"formats":["openai-chat"]}' });
      expect(body).toMatchObject({ max_tokens: 99 });
    }
  });
});

function effortIn(body: Body): string {
  const at = (value: unknown, ...path: readonly string[]): unknown =>
    path.reduce<unknown>((inner, name) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, name) : undefined), value);
  if (at(body, 'thinking', 'type') === 'disabled') return 'none';
  const found = [
    at(body, 'reasoning_effort'),
    at(body, 'reasoning', 'effort'),
    at(body, 'output_config', 'effort'),
    at(body, 'generationConfig', 'thinkingConfig', 'thinkingLevel'),
  ].find((value) => typeof value === 'string');
  return String(found).toLowerCase();
}
