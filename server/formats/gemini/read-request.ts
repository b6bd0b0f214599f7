// Reads a `generateContent` request into parts.
import { fieldRules } from '#shared/field-rules.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { defined } from '../defined.ts';
import { extraFieldReader, isTextOnly, withSound } from '../extra-fields.ts';
import { otherProviders, untranslatable } from '../losses.ts';
import type { ChatRequest, ReasoningWish } from '../parts.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { readStop } from './stop-sequences.ts';
import { readSchema } from './caller-schema.ts';
import { objectsOf, plainBody } from '../proto-json.ts';
import { readContents, readSystem } from './read-contents.ts';
import { readTools } from './read-tools.ts';
import { clientFields } from './format-fields.ts';
import { effortOfLevel } from './thinking.ts';

const known: ReadonlySet<string> = new Set(['model', 'contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig']);
const knownConfig: ReadonlySet<string> = new Set([
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'stopSequences',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  '_responseJsonSchema',
  'thinkingConfig',
]);

const mostTokens = 1_073_741_823;

/** @throws {AppError} `invalid_request` with the field at fault; `untranslatable` for features of Gemini only */
export function readRequest(body: Body): ChatRequest {
  const plain = plainBody(body);
  // Counts may contain a whole request.
  const fields = new StrictFields(isObject(plain['generateContentRequest']) ? plain['generateContentRequest'] : plain);
  const config = fields.fields('generationConfig') ?? new StrictFields({}, 'generationConfig');
  const contents = readContents(objectsOf(fields, 'contents'));
  const { tools, hosted, choice, extras } = readTools(fields);
  const limit = config.integer('maxOutputTokens', 0, mostTokens);
  return {
    // The model is in the path, and in a body only optionally.
    model: fields.text('model') ?? '',
    isStream: false,
    messages: [...readSystem(fields.fields('systemInstruction')), ...contents.messages],
    tools,
    ...(hosted.length === 0 ? {} : { hostedTools: hosted }),
    extras: [...extraFields(fields, known), ...withSound(extraFields(config, knownConfig)), ...contents.extras, ...extras],
    clientFields,
    ...defined('toolChoice', choice),
    ...defined('maxTokens', limit === 0 ? undefined : limit),
    ...defined('temperature', config.number('temperature')),
    ...defined('topP', config.number('topP')),
    ...defined('topK', config.integer('topK', 0, mostTokens)),
    ...defined('stop', readStop(config, 'stopSequences')),
    ...readFormat(config),
    ...defined('reasoning', readThinking(config.fields('thinkingConfig'))),
  };
}

const extraFields = extraFieldReader(
  clientFields,
  (name, value) => name === 'generationConfig.responseModalities' && isTextOnly(value, 'TEXT'),
);

function readFormat(config: StrictFields): Pick<ChatRequest, 'responseFormat'> {
  const type = config.text('responseMimeType') ?? 'text/plain';
  const schema = config.object('responseJsonSchema') ?? config.object('_responseJsonSchema') ?? config.object('responseSchema');
  if (type === 'text/plain' && schema === undefined) return {};
  // Other vendors would return the value in quotes.
  if (type === 'text/x.enum') throw untranslatable(config.path('responseMimeType'), otherProviders);
  if (type !== 'application/json') throw badField(config.path('responseMimeType'), fieldRules.oneOf(['text/plain', 'application/json']));
  return { responseFormat: schema === undefined ? { kind: 'json' } : { kind: 'schema', schema: readSchema(schema) } };
}

/** A budget of -1 lets the model choose, 0 turns thinking off. https://ai.google.dev/gemini-api/docs/thinking */
function readThinking(config: StrictFields | undefined): ReasoningWish | undefined {
  if (config === undefined) return undefined;
  const budget = config.integer('thinkingBudget', -1, mostTokens);
  const level = config.text('thinkingLevel');
  const effort = level === undefined ? undefined : effortOfLevel(level);
  const shown = config.boolean('includeThoughts') === true ? { shownBy: config.path('includeThoughts') } : undefined;
  if (budget === 0) return { isOn: false };
  if (effort !== undefined) return { isOn: true, effort, ...shown };
  if (budget !== undefined && budget > 0) return { isOn: true, budgetTokens: budget, ...shown };
  return budget === -1 || shown !== undefined ? { isOn: true, ...shown } : undefined;
}
