// Reads an Interactions request into parts.
import { fieldRules } from '#shared/field-rules.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { defined } from '../../defined.ts';
import { extraFieldReader, withSound } from '../../extra-fields.ts';
import { otherProviders, untranslatable } from '../../losses.ts';
import type { ChatRequest, ReasoningEffort, ReasoningWish, ResponseFormat } from '../../parts.ts';
import type { ExtraField } from '../../request-fields.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { readStop } from '../stop-sequences.ts';
import { bareModel } from './requested-model.ts';
import { refuseState } from './check-request.ts';
import { readSteps } from './read-steps.ts';
import { readTools } from './read-tools.ts';
import { clientFields } from './format-fields.ts';

/** `store` and `background` do not apply: the provider stores nothing. */
const known: ReadonlySet<string> = new Set([
  'model',
  'input',
  'system_instruction',
  'tools',
  'generation_config',
  'response_format',
  'response_mime_type',
  'response_modalities',
  'store',
  'background',
  'stream',
]);
const knownConfig: ReadonlySet<string> = new Set([
  'max_output_tokens',
  'temperature',
  'top_p',
  'stop_sequences',
  'thinking_level',
  // Thinking is returned as it comes, because signatures cover the text.
  'thinking_summaries',
  'tool_choice',
]);
const efforts: readonly ReasoningEffort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const mostTokens = 1_073_741_823;

/** @throws {AppError} `invalid_request` with the field at fault; `untranslatable` for features of Google only */
export function readRequest(body: Body): ChatRequest {
  refuseState(body);
  const fields = new StrictFields(body);
  const config = fields.fields('generation_config') ?? new StrictFields({}, 'generation_config');
  const { messages, extras: ofSteps } = readSteps(fields.raw('input'));
  const { tools, hosted, choice, extras: ofTools } = readTools(fields, config);
  const instruction = fields.text('system_instruction') ?? '';
  return {
    model: bareModel(fields.requiredText('model')),
    isStream: fields.boolean('stream') ?? false,
    messages: [
      ...(instruction === ''
        ? []
        : [{ role: 'system' as const, content: [{ type: 'text' as const, text: instruction }], field: 'system_instruction' }]),
      ...messages,
    ],
    tools,
    ...(hosted.length === 0 ? {} : { hostedTools: hosted }),
    extras: [...extraFields(fields, known), ...extraFields(config, knownConfig), ...withSound(modalities(fields)), ...ofSteps, ...ofTools],
    clientFields,
    ...defined('toolChoice', choice),
    ...defined('maxTokens', config.integer('max_output_tokens', 1, mostTokens)),
    ...defined('temperature', config.number('temperature')),
    ...defined('topP', config.number('top_p')),
    ...defined('stop', readStop(config, 'stop_sequences')),
    ...defined('responseFormat', readFormat(fields)),
    ...defined('reasoning', readThinking(config)),
  };
}

const extraFields = extraFieldReader(clientFields);

/** Output modalities that other providers support too: only Google generates video and documents. */
const modalitiesHere: ReadonlySet<unknown> = new Set(['text', 'image', 'audio']);

function modalities(fields: StrictFields): ExtraField[] {
  const value = fields.list('response_modalities') ?? [];
  if (value.some((modality) => !modalitiesHere.has(modality))) throw untranslatable('response_modalities', otherProviders);
  return value.every((modality) => modality === 'text') ? [] : [{ field: 'modalities', name: 'response_modalities', value }];
}

const media: ReadonlySet<unknown> = new Set(['image', 'audio', 'video']);

/** Reads a format object, a list with one, or the bare schema of earlier versions. */
function readFormat(fields: StrictFields): ResponseFormat | undefined {
  const value = fields.raw('response_format');
  const formats = Array.isArray(value) ? fields.objects('response_format') : [fields.fields('response_format')];
  for (const format of formats) if (media.has(format?.raw('type'))) throw untranslatable('response_format', otherProviders);
  const [format] = formats;
  if (formats.length > 1) throw untranslatable('response_format', otherProviders);
  const isText = format?.raw('type') === 'text';
  const type = (isText ? format?.text('mime_type') : undefined) ?? fields.text('response_mime_type');
  const schema = isText ? format?.object('schema') : format?.plain;
  if (isObject(schema) && type !== 'text/plain') return { kind: 'schema', schema };
  return type === 'application/json' ? { kind: 'json' } : undefined;
}

function readThinking(config: StrictFields): ReasoningWish | undefined {
  const level = config.text('thinking_level')?.toLowerCase();
  const effort = efforts.find((one) => one === level);
  if (level !== undefined && effort === undefined) throw badField(config.path('thinking_level'), fieldRules.oneOf(efforts));
  const shown = config.text('thinking_summaries') === 'auto' ? { shownBy: config.path('thinking_summaries') } : undefined;
  if (effort !== undefined) return { isOn: effort !== 'none', effort, ...shown };
  return shown === undefined ? undefined : { isOn: true, ...shown };
}
