// Code reads facts about models instead of matching names: a name pattern elsewhere must have a reason here.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);

/** Words that names of models begin with or consist of. */
const words =
  'gpt|chatgpt|claude|gemini|grok|kimi|moonshot|glm|qwen|qwq|deepseek|minimax|mistral|imagen|veo|sora|dall-e|whisper|voxtral|doubao|seedream|ernie|hunyuan|llama|nova';
/** A regular expression, or a question about a text, that has one of them. */
const pattern = new RegExp(
  `(?:startsWith|endsWith|includes)\\(\\s*'[^']*(?:${words})[^']*'|(?:prefixes|modelPrefix): ?\\[?'[^']*(?:${words})|(?:[=(,:?] ?|return )/(?![*/])[^/\\n]*(?:${words})[^/\\n]*/[a-z]*(?:\\.test|[,;) ])`,
  'gi',
);

/** How many there are, by file and reason. A number that falls is lowered here; one that rises wants a member of the facts. */
const known: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'names of prices and what they cost as a factor of input are interface (specification)': { 'shared/pricing-rules.ts': 40 },
  'finds the facts': { 'server/model-facts/find-facts.ts': 1 },
  'tells formats, paths and ids of a host apart by its own names': {
    'server/providers/ali.ts': 1,
    'server/providers/bedrock-models.ts': 3,
    'server/providers/bedrock.ts': 2,
    'server/providers/cloudflare.ts': 1,
    'server/providers/gemini.ts': 4,
    'server/providers/openai-shape.ts': 4,
    'server/providers/vertex.ts': 6,
    'server/providers/volcengine.ts': 1,
    'server/kinds/embeddings/vertex.ts': 1,
    'server/tasks/videos/veo-vertex.ts': 1,
    'server/slices/imports/litellm/providers.ts': 3,
  },
  'of names that no facts know': { 'server/exchange/kind-of-model.ts': 2, 'server/kinds/audio/input-audio.ts': 1 },
  'Codex brings entries of its own for these names': { 'server/surfaces/codex/codex-models.ts': 2 },
  'catalogues have no word for it: pictures and sounds of a model': {
    'server/kinds/audio/speech-format.ts': 1,
    'server/kinds/audio/spoken-sound.ts': 4,
    'server/kinds/images/vendors/dashscope.ts': 1,
    'server/kinds/images/vendors/edits.ts': 2,
    'server/kinds/images/vendors/google.ts': 1,
    'server/kinds/images/vendors/openai-like.ts': 1,
    'server/kinds/images/predict-caller.ts': 1,
    'server/formats/qwen-images.ts': 3,
    'shared/picture-order.ts': 4,
  },
};

function files(folder: string): string[] {
  return readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => `${folder}${name}`)
    .toSorted();
}

function patternsIn(file: string): number {
  const code = readFileSync(new URL(file, root), 'utf8').replaceAll(/^\s*(?:\/\/|\*|\/\*\*).*$/gm, '');
  return [...code.matchAll(pattern)].length;
}

test('no new pattern of names of models stands outside the facts', () => {
  const found = [...files('server/'), ...files('shared/')].flatMap((file) => {
    const count = patternsIn(file);
    return count === 0 ? [] : [[file, count] as const];
  });
  expect(Object.fromEntries(found)).toEqual(Object.assign({}, ...Object.values(known)));
});

test.each([
  "if (model.startsWith('gpt-7')) return 1;",
  'const quick = /^gemini-4/;',
  "{ prefixes: ['claude-6'] }",
  'return /kimi/i.test(model);',
])('it would find %s', (code) => {
  expect([...code.matchAll(pattern)]).toHaveLength(1);
});
