// Reads a Responses request into parts.
import { fieldRules } from '#shared/field-rules.ts';
import { defined } from '../defined.ts';
import { extraFieldReader } from '../extra-fields.ts';
import type { ChatRequest, Message, ReasoningEffort, ReasoningWish } from '../parts.ts';
import type { ExtraField } from '../request-fields.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { refuseState } from './check-request.ts';
import { isCompaction, summaryRequest, withoutTrigger } from './compaction.ts';
import { readInput } from './read-items.ts';
import { readToolChoice, readTools } from './read-tools.ts';
import { clientFields } from './format-fields.ts';

/** `store` and `background` do not apply: the provider stores nothing. */
const known: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'max_output_tokens',
  'temperature',
  'top_p',
  'text',
  'reasoning',
  'include',
  'user',
  'store',
  'background',
  'stream',
  'stream_options',
]);

const efforts: readonly ReasoningEffort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const mostTokens = 1_073_741_823;

/** @throws {AppError} `invalid_request` with the field at fault; `untranslatable` for features of OpenAI only */
export function readRequest(body: Body): ChatRequest {
  refuseState(body);
  return isCompaction(body) ? summarized(readFields(withoutTrigger(body))) : readFields(body);
}

/** Turns a request into one for a summary. Tools remain, because the conversation may contain calls of them. */
function summarized({ messages, toolChoice: _choice, responseFormat: _format, ...request }: ChatRequest): ChatRequest {
  const requested = [...messages, summaryRequest('input')];
  return { ...request, messages: requested, ...(request.tools.length === 0 ? {} : { toolChoice: { kind: 'none' as const } }) };
}

function readFields(body: Body): ChatRequest {
  const fields = new StrictFields(body);
  const input = readInput(fields);
  const read = readTools([...fields.objects('tools'), ...input.tools]);
  const { tools, choice } = readToolChoice(fields, read);
  const wishes = [fields, ...input.updates];
  return {
    model: fields.requiredText('model'),
    messages: [...instructionsOf(fields), ...input.messages],
    tools,
    ...(read.hosted.length === 0 ? {} : { hostedTools: read.hosted }),
    isStream: fields.boolean('stream') ?? false,
    extras: [...extraFields(fields, known), ...includeFields(fields), ...wishFields(wishes), ...input.extras, ...read.extras],
    clientFields,
    ...defined('toolChoice', choice),
    ...defined('parallelToolCalls', fields.boolean('parallel_tool_calls')),
    ...defined('maxTokens', fields.integer('max_output_tokens', 1, mostTokens)),
    ...defined('temperature', fields.number('temperature')),
    ...defined('topP', fields.number('top_p')),
    ...defined('responseFormat', readFormat(fields.fields('text')?.fields('format'))),
    ...defined('reasoning', readReasoning(wishes)),
    ...defined('userId', fields.text('user')),
  };
}

function instructionsOf(fields: StrictFields): Message[] {
  const text = fields.text('instructions') ?? '';
  return text === '' ? [] : [{ role: 'system', content: [{ type: 'text', text }], field: 'instructions' }];
}

const extraFields = extraFieldReader(clientFields);

/** Returns the `include` values that the parts cannot hold; encrypted thinking is always included. */
function includeFields(fields: StrictFields): ExtraField[] {
  return (fields.list('include') ?? []).flatMap((value): ExtraField[] => {
    if (value === 'reasoning.encrypted_content') return [];
    return [{ field: value === 'message.output_text.logprobs' ? 'logprobs' : 'provider_outputs', name: 'include', value }];
  });
}

/** Returns members of `text` and `reasoning` that the parts cannot hold. `summary` is ignored: thinking is returned anyway. */
function wishFields(wishes: readonly StrictFields[]): ExtraField[] {
  const verbosity = wishes.map((wish) => wish.fields('text')?.text('verbosity')).findLast((value) => value !== undefined);
  const extras: ExtraField[] =
    verbosity === undefined || verbosity === 'medium' ? [] : [{ field: 'verbosity', name: 'text.verbosity', value: verbosity }];
  for (const [name, about] of [
    ['text', new Set(['format', 'verbosity'])],
    ['reasoning', new Set(['effort', 'summary', 'generate_summary'])],
  ] as const) {
    const within = wishes[0]?.fields(name);
    for (const member of within?.others(about) ?? []) extras.push({ field: null, name: `${name}.${member}`, value: within?.raw(member) });
  }
  return extras;
}

function readFormat(format: StrictFields | undefined): ChatRequest['responseFormat'] {
  const kind = format?.oneOf('type', ['text', 'json_object', 'json_schema']);
  if (format === undefined || kind === undefined || kind === 'text') return undefined;
  if (kind === 'json_object') return { kind: 'json' };
  const schema = format.object('schema');
  if (schema === undefined) throw badField(format.path('schema'), fieldRules.required);
  return {
    kind: 'schema',
    schema,
    ...defined('name', format.text('name')),
    ...defined('description', format.text('description')),
    ...defined('isStrict', format.boolean('strict')),
  };
}

function readReasoning(wishes: readonly StrictFields[]): ReasoningWish | undefined {
  const effort = wishes.map((wish) => wish.fields('reasoning')?.oneOf('effort', efforts)).findLast((value) => value !== undefined);
  return effort === undefined ? undefined : { isOn: effort !== 'none', effort };
}
