// Names of the catalogue's models at hosts: Bedrock by region, Vertex AI with dates behind `@`.
import { describe, expect, it, test } from 'vitest';
import { factsOf, knownModels } from '#server/model-facts/find-facts.ts';
import { bedrockId, bedrockModels } from './bedrock-models.ts';
import { datedClaude } from './claude-names.ts';

test.each([
  ['claude-3-5-haiku-20241022', 'us-west-2', 'us.anthropic.claude-3-5-haiku-20241022-v1:0'],
  ['claude-sonnet-4-5', 'eu-west-1', 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  ['claude-3-7-sonnet-latest', 'ap-south-1', 'apac.anthropic.claude-3-7-sonnet-20250219-v1:0'],
  ['claude-opus-4-6-20260205', 'us-east-1', 'us.anthropic.claude-opus-4-6-v1'],
  ['claude-opus-4-7-20260416', 'us-east-1', 'us.anthropic.claude-opus-4-7'],
  ['claude-opus-4-8', 'us-east-1', 'us.anthropic.claude-opus-4-8'],
  ['claude-opus-5-5', 'us-east-1', 'us.anthropic.claude-opus-5-5'],
  ['claude-opus-5.5', 'us-east-1', 'us.anthropic.claude-opus-5-5'],
  ['claude-opus-5-5-high', 'us-east-1', 'us.anthropic.claude-opus-5-5'],
  ['claude-opus-5-5', 'ap-northeast-1', 'jp.anthropic.claude-opus-5-5'],
  ['claude-sonnet-5-5', 'eu-central-1', 'eu.anthropic.claude-sonnet-5-5'],
  ['claude-haiku-5-5', 'sa-east-1', 'global.anthropic.claude-haiku-5-5'],
  ['claude-fable-5-1', 'ap-south-1', 'global.anthropic.claude-fable-5-1'],
  ['claude-opus-5-5', 'us-gov-west-1', 'anthropic.claude-opus-5-5'],
  // Newer than the data, or of an unknown line.
  ['claude-opus-6', 'us-east-1', 'us.anthropic.claude-opus-6'],
  ['claude-sonnet-6-20270301', 'eu-west-1', 'eu.anthropic.claude-sonnet-6'],
  ['claude-nova-6', 'us-east-1', 'us.anthropic.claude-nova-6'],
  // Ids, returned unchanged.
  ['anthropic.claude-opus-5-5', 'us-east-1', 'anthropic.claude-opus-5-5'],
  ['global.anthropic.claude-opus-5-5', 'us-east-1', 'global.anthropic.claude-opus-5-5'],
  ['eu.anthropic.claude-sonnet-5-5-high', 'us-east-1', 'eu.anthropic.claude-sonnet-5-5'],
  [
    'arn:aws:bedrock:us-east-1:1:application-inference-profile/claude',
    'us-east-1',
    'arn:aws:bedrock:us-east-1:1:application-inference-profile/claude',
  ],
  ['amazon.nova-pro-v1:0', 'us-east-1', 'amazon.nova-pro-v1:0'],
  ['meta.llama3-3-70b-instruct-v1:0', 'us-east-1', 'meta.llama3-3-70b-instruct-v1:0'],
  // Other vendors.
  ['gpt-oss-120b', 'us-west-2', 'openai.gpt-oss-120b-1:0'],
  ['deepseek-r1', 'us-east-1', 'us.deepseek.r1-v1:0'],
  ['kimi-k2.5', 'us-east-1', 'moonshotai.kimi-k2.5'],
])('Bedrock calls %s in %s %s', (model, region, id) => {
  expect(bedrockId(model, region)).toBe(id);
});

/** Bedrock has retired the first models, whose ids follow no rule. */
const claudes = knownModels().filter((model) => factsOf(model)?.vendor === 'anthropic' && !/^claude-(?:2|instant)/.test(model));

describe('every Claude of the catalogue', () => {
  it.each(claudes)('%s has an id, from which its facts are found', (model) => {
    for (const region of ['us-east-1', 'eu-west-1', 'ap-northeast-1', 'ap-south-1', 'ca-central-1']) {
      const id = bedrockId(model, region);
      expect(id).toMatch(/^(?:(?:us|eu|jp|apac|au|global)\.)?anthropic\.claude-/);
      expect(factsOf(id)?.takesForcedTools).toBe(factsOf(model)?.takesForcedTools);
    }
  });

  it('is offered once', () => {
    expect(new Set(bedrockModels).size).toBe(bedrockModels.length);
    expect(bedrockModels).toEqual(expect.arrayContaining(['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5', 'claude-fable-5-1']));
  });
});

test.each([
  ['claude-opus-5-5', 'claude-opus-5-5'],
  ['claude-opus-4-6-20260205', 'claude-opus-4-6'],
  ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929'],
  ['claude-4-opus-20250514', 'claude-opus-4-20250514'],
  ['claude-3-sonnet-20240229', 'claude-3-sonnet-20240229'],
])('hosts know %s as %s', (model, name) => {
  expect(datedClaude(model)).toBe(name);
});
