// Token accounting between all formats: the classes of a usage sum to what the provider reported, each is priced once, and the caller
// receives the same sum.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cacheCreation1hRatioOf } from '#shared/find-price.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

const model = 'tide-1';
/** Factors of the prompt's price; no two sums of them are equal. */
const ratios = { completion: 7, cached: 0.5, written: 3, received: 11, spoken: 13, unmappedAgain: 0.25 };
const settings = {
  ModelRatio: JSON.stringify({ [model]: 2 }),
  CompletionRatio: JSON.stringify({ [model]: ratios.completion }),
  CacheRatio: JSON.stringify({ [model]: ratios.cached }),
  CreateCacheRatio: JSON.stringify({ [model]: ratios.written }),
  AudioRatio: JSON.stringify({ [model]: ratios.received }),
  AudioCompletionRatio: JSON.stringify({ [model]: ratios.spoken }),
  AudioCacheRatio: JSON.stringify({ [model]: ratios.unmappedAgain }),
};
const [input, output] = [100, 40];

interface Upstream {
  format: string;
  channel: { type: number; setting?: string };
  /** A hundred tokens read and forty written, in its own words. */
  usage: object;
  /** Tokens of each class that has a price of its own; the others are plain. Images and thoughts cost what plain ones do. */
  classes: { cached?: number; written?: number; writtenForAnHour?: number; received?: number; unmappedAgain?: number; spoken?: number };
  thoughts: number;
}

const upstreams: Upstream[] = [
  {
    format: 'chat completions',
    channel: { type: 1 },
    usage: {
      prompt_tokens: 100,
      completion_tokens: 40,
      total_tokens: 140,
      prompt_tokens_details: { cached_tokens: 30, audio_tokens: 20 },
      completion_tokens_details: { reasoning_tokens: 10, audio_tokens: 5 },
    },
    classes: { cached: 30, received: 20, spoken: 5 },
    thoughts: 10,
  },
  {
    format: 'chat completions, sound in the cache',
    channel: { type: 1 },
    usage: {
      prompt_tokens: 100,
      completion_tokens: 40,
      total_tokens: 140,
      prompt_tokens_details: { cached_tokens: 30, audio_tokens: 20, cached_tokens_details: { text_tokens: 18, audio_tokens: 12 } },
      completion_tokens_details: { reasoning_tokens: 10, audio_tokens: 5 },
    },
    classes: { cached: 18, received: 8, unmappedAgain: 12, spoken: 5 },
    thoughts: 10,
  },
  {
    format: 'Responses',
    channel: { type: 1, setting: '{"formats":["openai-responses"]}' },
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 },
      output_tokens: 40,
      output_tokens_details: { reasoning_tokens: 10 },
      total_tokens: 140,
    },
    classes: { cached: 30, written: 20 },
    thoughts: 10,
  },
  ...[1, 20, 48].map((type) => ({
    format: `chat completions, reasoning beside the completion, of a channel of type ${type}`,
    channel: { type },
    usage: {
      prompt_tokens: 100,
      completion_tokens: 15,
      total_tokens: 140,
      prompt_tokens_details: { cached_tokens: 30 },
      completion_tokens_details: { reasoning_tokens: 25 },
    },
    classes: { cached: 30 },
    thoughts: 25,
  })),
  {
    format: 'Responses, reasoning beside the output',
    channel: { type: 1, setting: '{"formats":["openai-responses"]}' },
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 30 },
      output_tokens: 15,
      output_tokens_details: { reasoning_tokens: 25 },
      total_tokens: 140,
    },
    classes: { cached: 30 },
    thoughts: 25,
  },
  {
    format: 'Claude',
    channel: { type: 14 },
    usage: {
      input_tokens: 50,
      cache_read_input_tokens: 30,
      cache_creation_input_tokens: 20,
      cache_creation: { ephemeral_5m_input_tokens: 12, ephemeral_1h_input_tokens: 8 },
      output_tokens: 40,
    },
    classes: { cached: 30, written: 12, writtenForAnHour: 8 },
    thoughts: 0,
  },
  {
    format: 'Gemini',
    channel: { type: 24 },
    usage: {
      promptTokenCount: 90,
      toolUsePromptTokenCount: 10,
      cachedContentTokenCount: 30,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 60 },
        { modality: 'IMAGE', tokenCount: 10 },
        { modality: 'AUDIO', tokenCount: 20 },
      ],
      candidatesTokenCount: 30,
      candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 5 }],
      thoughtsTokenCount: 10,
      totalTokenCount: 140,
    },
    classes: { cached: 30, received: 20, spoken: 5 },
    thoughts: 10,
  },
  {
    format: 'Gemini, sound in the cache',
    channel: { type: 24 },
    usage: {
      promptTokenCount: 100,
      cachedContentTokenCount: 30,
      cacheTokensDetails: [
        { modality: 'TEXT', tokenCount: 18 },
        { modality: 'AUDIO', tokenCount: 12 },
      ],
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 80 },
        { modality: 'AUDIO', tokenCount: 20 },
      ],
      candidatesTokenCount: 40,
      totalTokenCount: 140,
    },
    classes: { cached: 18, received: 8, unmappedAgain: 12 },
    thoughts: 0,
  },
];

const messages = [{ role: 'user', content: 'When is high water?' }];
const contents = [{ role: 'user', parts: [{ text: 'When is high water?' }] }];
type Reported = Readonly<Record<string, number>>;

interface Caller {
  format: string;
  path(isStream: boolean): string;
  body(isStream: boolean): object;
  /** The format does not distinguish one-hour cache writes, which none of its callers can request. */
  hasNoHour?: true;
  /** Sum of the tokens in a response. */
  sum(answer: { usage: Reported; usageMetadata: Reported }): number[];
}

const sumOf = (reported: Reported, ...names: string[]) => names.reduce((sum, name) => sum + (reported[name] ?? 0), 0);
const callers: Caller[] = [
  {
    format: 'chat completions',
    path: () => '/v1/chat/completions',
    body: (stream) => ({ model, messages, max_tokens: 50, stream, ...(stream && { stream_options: { include_usage: true } }) }),
    sum: ({ usage }) => [sumOf(usage, 'prompt_tokens', 'completion_tokens'), sumOf(usage, 'total_tokens')],
  },
  {
    format: 'Responses',
    path: () => '/v1/responses',
    body: (stream) => ({ model, input: 'When is high water?', max_output_tokens: 50, stream }),
    sum: ({ usage }) => [sumOf(usage, 'input_tokens', 'output_tokens'), sumOf(usage, 'total_tokens')],
  },
  {
    format: 'Claude',
    path: () => '/v1/messages',
    body: (stream) => ({ model, messages, max_tokens: 50, stream }),
    sum: ({ usage }) => [sumOf(usage, 'input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'output_tokens')],
  },
  {
    format: 'Gemini',
    path: (isStream) => `/v1beta/models/${model}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: () => ({ contents, generationConfig: { maxOutputTokens: 50 } }),
    sum: ({ usageMetadata: reported }) => [
      sumOf(reported, 'promptTokenCount', 'toolUsePromptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount'),
      sumOf(reported, 'totalTokenCount'),
    ],
  },
  {
    format: 'completions',
    hasNoHour: true,
    path: () => '/v1/completions',
    body: (stream) => ({
      model,
      prompt: 'When is high water?',
      max_tokens: 50,
      stream,
      ...(stream && { stream_options: { include_usage: true } }),
    }),
    sum: ({ usage }) => [sumOf(usage, 'prompt_tokens', 'completion_tokens'), sumOf(usage, 'total_tokens')],
  },
];

/** Usage of a stream: later events replace what earlier ones report. */
function usageInEvents(text: string): { usage: Reported; usageMetadata: Reported } {
  const reported: Record<string, number> = {};
  for (const [, data = ''] of text.matchAll(/^data: (\{.*)$/gm)) {
    const event = JSON.parse(data);
    const { usage } = event.response ?? event.message ?? event;
    for (const [name, value] of Object.entries(usage ?? event.usageMetadata ?? {})) if (typeof value === 'number') reported[name] = value;
  }
  return { usage: reported, usageMetadata: reported };
}

/** Each token once, by the table of prices alone. */
function costOf({
  cached = 0,
  written = 0,
  writtenForAnHour = 0,
  received = 0,
  unmappedAgain = 0,
  spoken = 0,
}: Upstream['classes']): number {
  const plain = input - cached - written - writtenForAnHour - received - unmappedAgain;
  const read = plain + cached * ratios.cached + written * ratios.written + writtenForAnHour * cacheCreation1hRatioOf(ratios.written);
  const sound = (received + unmappedAgain * ratios.unmappedAgain) * ratios.received + spoken * ratios.received * ratios.spoken;
  return Math.ceil((read + sound + (output - spoken) * ratios.completion) * 2);
}

describe.each(upstreams)('a provider of $format', ({ channel, usage, classes, thoughts }) => {
  let scene: RelayScene;
  let rows = 0;
  beforeAll(async () => {
    scene = await createScene(embeddedEngine, { settings, channels: [{ models: model, ...channel }] });
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  describe.each(callers)('asked in $format', ({ path, body, sum, hasNoHour }) => {
    test.each([false, true])('stream: %s', async (isStream) => {
      scene.upstream.behave({ text: 'At noon.', usage, usageIn: 'own event', alwaysUsage: true });
      const answer = await scene.post(path(isStream), body(isStream));
      const text = await answer.text();
      expect([answer.status, text]).toEqual([200, expect.any(String)]);
      rows += 1;
      const row = (await scene.logs(rows)).at(-1);
      const all = (classes.written ?? 0) + (classes.writtenForAnHour ?? 0);
      const paid = hasNoHour === true ? { ...classes, written: all, writtenForAnHour: 0 } : classes;
      const { cached = 0, written = 0, writtenForAnHour = 0, received = 0, unmappedAgain = 0, spoken = 0 } = paid;
      expect(row).toMatchObject({ prompt_tokens: input, completion_tokens: output, quota: costOf(paid) });
      expect(row?.other).toMatchObject({ cache_tokens: cached + unmappedAgain, prompt_source: 'upstream', completion_source: 'upstream' });
      expect(row?.other?.['cache_creation_tokens'] ?? 0).toBe(written + writtenForAnHour);
      expect(row?.other?.['cache_creation_tokens_1h'] ?? 0).toBe(writtenForAnHour);
      expect([row?.other?.['audio_input'] ?? 0, row?.other?.['audio_output'] ?? 0]).toEqual([received, spoken]);
      expect(row?.other?.['audio_cache_tokens'] ?? 0).toBe(unmappedAgain);
      expect(row?.other?.['reasoning_tokens'] ?? 0).toBe(thoughts);
      for (const reported of sum(isStream ? usageInEvents(text) : JSON.parse(text))) expect(reported).toBe(input + output);
    });
  });

  test('the books balance', async () => {
    expect(await scene.logs(rows)).toHaveLength(2 * callers.length);
    await scene.checkBooks();
  });
});

test.each([
  {
    path: '/v1/chat/completions',
    prompt: { messages },
    setting: {},
    written: ['prompt_tokens', 'completion_tokens', 'completion_tokens_details'],
  },
  {
    path: '/v1/responses',
    prompt: { input: 'Tides?' },
    setting: { formats: ['openai-responses'] },
    written: ['input_tokens', 'output_tokens', 'output_tokens_details'],
  },
])('a long response at $path reports reasoning within the output, too', async ({ path, prompt, setting, written }) => {
  await using scene = await createScene(embeddedEngine, { settings, channels: [{ models: model, setting: JSON.stringify(setting) }] });
  const [read = '', wrote = '', details = ''] = written;
  const usage = { [read]: 100, [wrote]: 15, total_tokens: 140, [details]: { reasoning_tokens: 25 } };
  scene.upstream.behave({ text: 'tide '.repeat(80_000), usage });
  const answer = await scene.post(path, { model, ...prompt });
  expect(JSON.parse(await answer.text()).usage).toMatchObject({ [read]: 100, [wrote]: 40, total_tokens: 140 });
  expect(await scene.logs(1)).toMatchObject([{ completion_tokens: 40 }]);
});

describe('what was recorded of providers', () => {
  const recorded = ['chat', 'chat-reasoning', 'chat-tools', 'chat-stream', 'chat-stream-reasoning', 'chat-stream-tools'].map(
    (name) => `openai/${name}`,
  );
  const others = ['deepseek/chat', 'deepseek/chat-reasoner', 'deepseek/chat-stream', 'deepseek/chat-stream-reasoner'];
  // The last two did not request usage, and report it in their own fields.
  const names = [...recorded, ...others, 'openrouter/chat-stream', 'groq/chat-stream', 'moonshot/chat-stream'];

  test.each(names)('%s: the classes sum to its total', async (name) => {
    const isStream = name.includes('stream');
    const replay = `${name}.${isStream ? 'sse' : 'json'}`;
    const text = readFileSync(new URL(`../fixtures/upstream/${replay}`, import.meta.url), 'utf8');
    const total = [...text.matchAll(/"total_tokens":\s*(\d+)/g)].at(-1)?.[1];
    expect(total).toBeDefined();
    await using scene = await createScene(embeddedEngine, { settings, channels: [{ models: model }] });
    scene.upstream.behave({ replay });
    for (const [index, { path, body }] of callers.slice(0, 3).entries()) {
      const answer = await scene.post(path(isStream), body(isStream));
      expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
      const row = await scene.logs(index + 1).then((rows) => rows.at(-1));
      expect((row?.prompt_tokens ?? 0) + (row?.completion_tokens ?? 0)).toBe(Number(total));
      const cached = row?.other?.['cache_tokens'] ?? 0;
      const quota = (row?.prompt_tokens ?? 0) - Number(cached) * ratios.cached + (row?.completion_tokens ?? 0) * ratios.completion;
      expect(row?.quota).toBe(Math.ceil(quota * 2));
    }
    await scene.checkBooks();
  });
});
