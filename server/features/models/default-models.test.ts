import { expect, it } from 'vitest';
import { channelTypes } from '#shared/channel-types.ts';
import { providerOf } from '#server/providers/registry.ts';
import { defaultModels } from './default-models.ts';

const models = defaultModels();

/** What each vendor has switched off, by its own notice. */
const retired: readonly (readonly [name: string, type: number, models: RegExp])[] = [
  // https://developers.openai.com/api/docs/deprecations
  ['OpenAI', 1, /^(?:gpt-3\.5|gpt-4$|gpt-4-|gpt-4\.1-nano|o1|o3-mini|o4-mini)|-chat-latest$/],
  // https://platform.claude.com/docs/en/about-claude/model-deprecations
  ['Anthropic', 14, /^claude-(?:instant|[23]|opus-4-1|(?:opus|sonnet)-4-2025|sonnet-4-5)/],
  // https://ai.google.dev/gemini-api/docs/deprecations
  ['Gemini', 24, /^gemini-(?:1|2\.0|2\.5-(?:pro|flash$))/],
  // Vertex has switched off all of 2.5. https://cloud.google.com/vertex-ai/generative-ai/docs/learn/model-versions
  ['Vertex', 41, /^gemini-(?:1|2)/],
  // https://docs.perplexity.ai/changelog
  ['Perplexity', 27, /^(?:llama|mixtral|pplx)|sonar-(?:small|medium|large|huge)/],
  // https://docs.cohere.com/docs/deprecations
  ['Cohere', 34, /^rerank-.*-v2\.0$/],
  // https://api-docs.deepseek.com/quick_start/pricing
  ['DeepSeek', 43, /^deepseek-(?:chat|reasoner)$/],
  // https://docs.x.ai/developers/migration/may-15-retirement
  ['xAI', 48, /^grok-(?:beta|vision|[23]|4-)/],
  // https://docs.mistral.ai/inference/model-lifecycle
  ['Mistral', 42, /^open-mi/],
  // https://help.aliyun.com/zh/model-studio/model-depreciation
  ['Ali', 17, /^qwen-(?:turbo|max-longcontext)|^text-embedding-v1/],
  // https://docs.bigmodel.cn/cn/guide/start/model-overview
  ['Zhipu', 26, /^glm-(?:3|4$|4v$|4-0520|4-alltools)/],
];

it.each(retired)('default-models: a new channel of %s begins with nothing that is switched off', (_name, type, gone) => {
  const offered = models[String(type)] ?? [];
  expect(offered).not.toEqual([]);
  expect(offered.filter((model) => gone.test(model))).toEqual([]);
});

it('default-models: no name stands twice in a list, or with blanks', () => {
  for (const { type } of channelTypes) {
    const own = providerOf(type)?.models ?? [];
    expect(new Set(own).size, `type ${type}`).toBe(own.length);
    expect(
      own.filter((name) => name !== name.trim() || name === ''),
      `type ${type}`,
    ).toEqual([]);
  }
});

it('default-models: the form offers to ask for models exactly where there is something to ask', () => {
  const requested = channelTypes.filter(({ listsModels }) => listsModels === true).map(({ type }) => type);
  const answering = channelTypes.filter(({ type }) => providerOf(type)?.modelList !== undefined).map(({ type }) => type);
  expect(requested).toEqual(answering);
});
