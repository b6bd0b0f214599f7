// Bedrock's model ids, and the inference profiles that reach them from a channel's region.
// https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html
// https://platform.claude.com/docs/en/build-with-claude/claude-on-amazon-bedrock-legacy
import { readClaudeEnding } from '#server/formats/claude-suffixes.ts';
import { factsOf } from '#server/model-facts/find-facts.ts';
import { datedClaude } from './claude-names.ts';
import models from './default-models.json' with { type: 'json' };

/** Groups of regions that share load. */
type Profile = 'us' | 'eu' | 'apac' | 'jp' | 'au' | 'global';

/** Ids by the vendor's model name. */
const known: Readonly<Record<string, { id: string; profiles: readonly Profile[] }>> = {
  'claude-instant-1.2': { id: 'anthropic.claude-instant-v1', profiles: [] },
  'claude-2.0': { id: 'anthropic.claude-v2', profiles: [] },
  'claude-2.1': { id: 'anthropic.claude-v2:1', profiles: [] },
  'claude-3-sonnet-20240229': { id: 'anthropic.claude-3-sonnet-20240229-v1:0', profiles: ['us', 'eu', 'apac'] },
  'claude-3-opus-20240229': { id: 'anthropic.claude-3-opus-20240229-v1:0', profiles: ['us'] },
  'claude-3-haiku-20240307': { id: 'anthropic.claude-3-haiku-20240307-v1:0', profiles: ['us', 'eu', 'apac'] },
  'claude-3-5-sonnet-20240620': { id: 'anthropic.claude-3-5-sonnet-20240620-v1:0', profiles: ['us', 'eu', 'apac'] },
  'claude-3-5-sonnet-20241022': { id: 'anthropic.claude-3-5-sonnet-20241022-v2:0', profiles: ['us', 'apac'] },
  'claude-3-5-haiku-20241022': { id: 'anthropic.claude-3-5-haiku-20241022-v1:0', profiles: ['us'] },
  'claude-3-7-sonnet-20250219': { id: 'anthropic.claude-3-7-sonnet-20250219-v1:0', profiles: ['us', 'eu', 'apac'] },
  'claude-sonnet-4-20250514': { id: 'anthropic.claude-sonnet-4-20250514-v1:0', profiles: ['us', 'eu', 'apac', 'global'] },
  'claude-opus-4-20250514': { id: 'anthropic.claude-opus-4-20250514-v1:0', profiles: ['us'] },
  'claude-opus-4-1-20250805': { id: 'anthropic.claude-opus-4-1-20250805-v1:0', profiles: ['us'] },
  'claude-sonnet-4-5-20250929': { id: 'anthropic.claude-sonnet-4-5-20250929-v1:0', profiles: ['us', 'eu', 'jp', 'au', 'global'] },
  'claude-haiku-4-5-20251001': { id: 'anthropic.claude-haiku-4-5-20251001-v1:0', profiles: ['us', 'eu', 'jp', 'au', 'global'] },
  'claude-opus-4-5-20251101': { id: 'anthropic.claude-opus-4-5-20251101-v1:0', profiles: ['us', 'eu', 'global'] },
  'claude-opus-4-6': { id: 'anthropic.claude-opus-4-6-v1', profiles: ['us', 'eu', 'jp', 'apac', 'global'] },
  'claude-sonnet-4-6': { id: 'anthropic.claude-sonnet-4-6', profiles: ['us', 'eu', 'jp', 'global'] },
  'claude-opus-4-7': { id: 'anthropic.claude-opus-4-7', profiles: ['us', 'eu', 'global'] },
  // https://docs.aws.amazon.com/bedrock/latest/userguide/models-supported.html
  'deepseek-r1': { id: 'deepseek.r1-v1:0', profiles: ['us'] },
  'deepseek-v3.2': { id: 'deepseek.v3.2', profiles: [] },
  'glm-4.7': { id: 'zai.glm-4.7', profiles: [] },
  'glm-4.7-flash': { id: 'zai.glm-4.7-flash', profiles: [] },
  'glm-5': { id: 'zai.glm-5', profiles: [] },
  'gpt-oss-120b': { id: 'openai.gpt-oss-120b-1:0', profiles: [] },
  'gpt-oss-20b': { id: 'openai.gpt-oss-20b-1:0', profiles: [] },
  'kimi-k2.5': { id: 'moonshotai.kimi-k2.5', profiles: [] },
  'MiniMax-M2': { id: 'minimax.minimax-m2', profiles: [] },
  'MiniMax-M2.1': { id: 'minimax.minimax-m2.1', profiles: [] },
  'MiniMax-M2.5': { id: 'minimax.minimax-m2.5', profiles: [] },
  'qwen3-32b': { id: 'qwen.qwen3-32b-v1:0', profiles: [] },
  'nova-micro-v1:0': { id: 'amazon.nova-micro-v1:0', profiles: ['us', 'eu', 'apac'] },
  'nova-lite-v1:0': { id: 'amazon.nova-lite-v1:0', profiles: ['us', 'eu', 'apac'] },
  'nova-pro-v1:0': { id: 'amazon.nova-pro-v1:0', profiles: ['us', 'eu', 'apac'] },
  'nova-premier-v1:0': { id: 'amazon.nova-premier-v1:0', profiles: ['us'] },
  'nova-2-lite-v1:0': { id: 'amazon.nova-2-lite-v1:0', profiles: ['us', 'eu', 'jp', 'global'] },
};

/** Claude models newer than the table use the vendor's name without a date: `anthropic.claude-opus-5-5`. */
const newestProfiles: readonly Profile[] = ['us', 'eu', 'jp', 'global'];

/** Claude models of the vendor's own channels. */
const claudeModels = models['14'];

/**
 * Still accepted but not offered: new accounts have no access.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-lifecycle.html
 */
const retired = /^claude-(?:instant|[23]\b)/;

/** Offered models under the vendors' names, newest first. */
export const bedrockModels: readonly string[] = [
  ...claudeModels.filter((name) => !retired.test(name) && !Object.hasOwn(known, name)),
  ...Object.keys(known)
    .filter((name) => name.startsWith('claude') && !retired.test(name))
    .toReversed(),
  ...Object.keys(known)
    .filter((name) => name.startsWith('nova'))
    .toReversed(),
  'openai.gpt-oss-120b-1:0',
  'openai.gpt-oss-20b-1:0',
];

/**
 * Returns the id of a model or its profile. Unknown names other than Claude's are returned unchanged: they are ids, or
 * ARNs of the account's own profiles.
 */
export function bedrockId(model: string, region: string): string {
  // Thinking suffixes are removed.
  const plain = readClaudeEnding(model)?.model ?? model;
  const found = entryOf(plain);
  if (found === undefined) return model.startsWith('arn:') ? model : plain;
  const profile = profilesOf(region).find((one) => found.profiles.includes(one));
  return profile === undefined ? found.id : `${profile}.${found.id}`;
}

function entryOf(name: string): { id: string; profiles: readonly Profile[] } | undefined {
  const own = Object.hasOwn(known, name) ? known[name] : undefined;
  if (own !== undefined || ofHost.test(name) || factsOf(name)?.vendor !== 'anthropic') return own;
  const dated = datedClaude(name);
  return (Object.hasOwn(known, dated) ? known[dated] : undefined) ?? { id: `anthropic.${dated}`, profiles: newestProfiles };
}

/** `anthropic.claude-…`, `us.anthropic.claude-…`, ARNs. */
const ofHost = /^arn:|(?:^|[a-z])\.[a-z]/;

/** Profiles of a region, nearest first. Government regions and China have none. */
function profilesOf(region: string): readonly Profile[] {
  if (/^(?:cn|us-gov|us-iso\w*|eusc)-/.test(region)) return [];
  if (region.startsWith('us-')) return ['us', 'global'];
  if (region.startsWith('eu-')) return ['eu', 'global'];
  if (/^ap-northeast-[13]$/.test(region)) return ['jp', 'apac', 'global'];
  if (/^ap-southeast-[24]$/.test(region)) return ['au', 'apac', 'global'];
  return region.startsWith('ap-') ? ['apac', 'global'] : ['global'];
}
