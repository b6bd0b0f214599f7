// Reads tools and the tool choice of a chat completion request.
import { fieldRules } from '#shared/field-rules.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { defined } from '../defined.ts';
import { namesStores } from '../hosted-tools.ts';
import { otherProviders, untranslatable } from '../losses.ts';
import type { HostedOptions, HostedTool, Tool, ToolChoice } from '../parts.ts';
import { badField, StrictFields } from '#server/framing/strict-fields.ts';
import { textTool } from '../text-tools.ts';
import { kindOfTool } from './hosted-tools.ts';

export function readHostedTools(tools: readonly StrictFields[], fields: StrictFields): HostedTool[] {
  const offered = tools.flatMap((tool): HostedTool[] => {
    const kind = kindOfTool(tool.plain);
    const field = tool.path('').slice(0, -1);
    if (kind === null) return [];
    const isNeeded = namesStores(tool.plain);
    const options = isNeeded && kind === 'file_search' ? { fileSearch: fileSearchIn(tool.plain) } : {};
    return [{ type: 'hosted_tool', kind, origin: 'openai-chat', object: tool.plain, options, field, ...(isNeeded ? { isNeeded } : {}) }];
  });
  const search = fields.fields('web_search_options');
  if (search === undefined) return offered;
  const contextSize = search.text('search_context_size');
  const location = search.fields('user_location')?.fields('approximate');
  const places = ['city', 'region', 'country', 'timezone'].flatMap((name) => {
    const value = location?.text(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const options: HostedOptions = {
    ...(contextSize === undefined ? {} : { contextSize }),
    ...(places.length === 0 ? {} : { location: Object.fromEntries(places) }),
  };
  const kind = 'web_search';
  const requested = {
    type: 'hosted_tool',
    kind,
    origin: 'openai-chat',
    object: search.plain,
    options,
    field: 'web_search_options',
  } as const;
  return [...offered, { ...requested, isNeeded: true }];
}

/** Callers write the search as Responses do, or as an object under the tool's name. */
function fileSearchIn({ file_search: inner, ...tool }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { vector_store_ids, max_num_results, ranking_options, filters } = { ...tool, ...(isObject(inner) ? inner : {}) };
  return {
    ...defined('vector_store_ids', vector_store_ids),
    ...defined('max_num_results', max_num_results),
    ...defined('ranking_options', ranking_options),
    ...defined('filters', filters),
  };
}

export function readTool(tool: StrictFields): Tool {
  if (tool.oneOf('type', ['function', 'custom']) === 'custom') return readTextTool(tool);
  const called = tool.fields('function');
  if (called === undefined) throw badField(tool.path('function'), fieldRules.required);
  return readFunction(called);
}

function readTextTool(tool: StrictFields): Tool {
  const custom = tool.fields('custom');
  if (custom === undefined) throw badField(tool.path('custom'), fieldRules.required);
  const grammar = custom.fields('format')?.fields('grammar');
  return textTool({
    name: custom.requiredText('name'),
    ...defined('description', custom.text('description')),
    ...defined(
      'grammar',
      grammar === undefined ? undefined : { syntax: grammar.requiredText('syntax'), definition: grammar.requiredText('definition') },
    ),
  });
}

export function readFunction(called: StrictFields): Tool {
  return {
    name: called.requiredText('name'),
    parameters: called.object('parameters') ?? {},
    ...defined('description', called.text('description')),
    ...defined('isStrict', called.boolean('strict')),
  };
}

export function readToolChoice(fields: StrictFields, hosted: readonly HostedTool[]): ToolChoice | undefined {
  const field = fields.has('tool_choice') ? 'tool_choice' : 'function_call';
  const value = fields.raw(field);
  if (value === undefined) return undefined;
  if (isObject(value)) {
    const choice = new StrictFields(value, field);
    const chosen = hosted.find(({ object }) => typeof value.type === 'string' && object['type'] === value.type);
    if (chosen !== undefined) return { kind: 'hosted', hosted: chosen.kind, field };
    if (value.type === 'allowed_tools') return readAllowed(choice, fields);
    const name = (choice.fields('function') ?? choice.fields('custom') ?? choice).requiredText('name');
    return { kind: 'tool', name };
  }
  const kind = fields.oneOf(field, ['auto', 'none', 'required']);
  return kind === undefined ? undefined : { kind };
}

/** The list cannot name hosted tools. @throws {AppError} `untranslatable` if none is left and a call is required */
function readAllowed(choice: StrictFields, fields: StrictFields): ToolChoice {
  const reported = choice.fields('allowed_tools');
  const kind = reported?.oneOf('mode', ['auto', 'required']) ?? 'auto';
  const names = (reported?.objects('tools') ?? []).map(nameOfTool);
  const known = new Set(fields.objects('tools').map(nameOfTool));
  const allowed = names.flatMap((name) => (name !== undefined && known.has(name) ? [name] : []));
  if (allowed.length === 0 && kind === 'required') throw untranslatable('tool_choice', otherProviders);
  return { kind, allowed };
}

function nameOfTool(tool: StrictFields): string | undefined {
  return (tool.fields('function') ?? tool.fields('custom'))?.text('name');
}
