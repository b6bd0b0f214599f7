// OpenAI's moderation requests. https://platform.openai.com/docs/api-reference/moderations
import { fieldRules } from '#shared/field-rules.ts';
import type { ClientCall } from '#server/formats/client-dialect.ts';
import { requestedByBody } from '#server/formats/call-address.ts';
import { criticalMembers, openBelow } from '#server/formats/critical-members.ts';
import { addMediaTokens, emptyPrompt, type PromptContent } from '#server/formats/prompt-content.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { isObject } from '#server/framing/loose-json.ts';

const textOrList = { zh: '必须是文本或数组', en: 'must be a text or a list' };
/** Maximum inputs of one call, as for embeddings. */
const mostInputs = 2048;
/** Tokens of an image of unknown size. */
const imageTokens = 255;
/** Models of requests that name none: the vendor's default, then older ones; the first that is served. */
const usualModels = ['omni-moderation-latest', 'text-moderation-latest', 'text-moderation-stable'];

export const openaiModerations: ClientCall = {
  read(body) {
    if (body.model !== undefined && body.model !== null) return { ...requestedByBody(body), isStream: false };
    const [model = '', ...otherModels] = usualModels;
    return { model, otherModels, isStream: false };
  },
  check,
  parameters: () => ({ maxTokens: 0, choices: 1, wantsUsage: false, mostTokenBytes: 0 }),
  promptContent({ input }) {
    const prompt = emptyPrompt();
    for (const item of Array.isArray(input) ? input : [input]) addInput(prompt, item);
    return prompt;
  },
  names: openBelow(criticalMembers(['model', 'input', 'type', 'text', 'image_url', 'url']), 'input'),
  probe: (model) => ({ model, input: 'hello world' }),
};

/** @throws {AppError} 400 with the invalid field */
function check(body: Body): void {
  const { input } = body;
  if (input === undefined || input === null || input === '') throw badField('input', fieldRules.required);
  if (typeof input === 'string') return;
  if (!Array.isArray(input)) throw badField('input', textOrList);
  if (input.length === 0) throw badField('input', fieldRules.required);
  if (input.length > mostInputs) throw badField('input', fieldRules.most(mostInputs));
  for (const [index, item] of input.entries()) if (typeof item !== 'string') checkPart(item, `input.${index}`);
}

function checkPart(part: unknown, path: string): void {
  if (!isObject(part)) throw badField(path, fieldRules.anyOf([fieldRules.text, fieldRules.object]));
  const fields = new StrictFields(part, path);
  if (fields.oneOf('type', ['text', 'image_url']) === 'text') {
    fields.requiredText('text');
    return;
  }
  const image = fields.fields('image_url');
  if (image === undefined) throw badField(fields.path('image_url'), fieldRules.required);
  image.requiredText('url');
}

function addInput(prompt: PromptContent, item: unknown): void {
  if (typeof item === 'string') prompt.texts.push(item);
  if (!isObject(item)) return;
  if (typeof item.text === 'string') prompt.texts.push(item.text);
  if (item.image_url !== undefined) addMediaTokens(prompt, imageTokens);
}
