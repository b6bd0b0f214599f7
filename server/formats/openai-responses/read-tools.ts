// Reads tools of a Responses request. Free text tools become functions, and namespaces become part of the name.
import { fieldRules } from '#shared/field-rules.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { namesStores } from '../hosted-tools.ts';
import { otherProviders, untranslatable } from '../losses.ts';
import type { HostedOptions, HostedTool, Tool, ToolChoice } from '../parts.ts';
import type { ExtraField } from '../request-fields.ts';
import { badField, StrictFields } from '#server/framing/strict-fields.ts';
import { textTool } from '../text-tools.ts';
import { kindOfTool, programTool } from './hosted-tools.ts';
import { flatName, searchName } from './tool-mappings.ts';

export interface ReadTools {
  tools: Tool[];
  hosted: HostedTool[];
  extras: ExtraField[];
}

/** Reads the tools; later definitions replace earlier ones, because tools may be loaded repeatedly. */
export function readTools(list: readonly StrictFields[]): ReadTools {
  const tools = new Map<string, Tool>();
  const hosted: HostedTool[] = [];
  const extras: ExtraField[] = [];
  const add = (tool: StrictFields, namespace?: string) => {
    const type = tool.text('type') ?? '';
    const path = tool.path('').slice(0, -1);
    if (type === 'namespace') {
      for (const inner of tool.objects('tools')) add(inner, tool.requiredText('name'));
      return;
    }
    const read = readTool(tool, type, namespace);
    if (read !== null) {
      tools.set(read.name, read);
      for (const name of unread(tool)) extras.push({ field: null, name: tool.path(name), value: null });
    } else {
      const kind = kindOfTool(tool.plain);
      if (type === programTool) extras.push({ field: null, name: path, value: null });
      else if (kind === null) extras.push({ field: 'taught_tools', name: tool.path('type'), value: null });
      else if (kind === 'mcp') extras.push({ field: 'mcp_servers', name: tool.path('type'), value: null });
      else
        hosted.push({
          type: 'hosted_tool',
          kind,
          origin: 'openai-responses',
          object: tool.plain,
          options: optionsOf(tool),
          field: path,
          ...(namesStores(tool.plain) ? { isNeeded: true } : {}),
        });
    }
  };
  for (const tool of list) add(tool);
  return { tools: [...tools.values()], hosted, extras };
}

function optionsOf(tool: StrictFields): HostedOptions {
  const filters = tool.fields('filters');
  const texts = (field: string) => filters?.list(field)?.filter((text) => typeof text === 'string');
  const [allowedDomains, blockedDomains] = [texts('allowed_domains'), texts('blocked_domains')];
  const location = tool.fields('user_location');
  const places = ['city', 'region', 'country', 'timezone'].flatMap((name) => {
    const value = location?.text(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const contextSize = tool.text('search_context_size');
  return {
    ...(allowedDomains === undefined ? {} : { allowedDomains }),
    ...(blockedDomains === undefined ? {} : { blockedDomains }),
    ...(places.length === 0 ? {} : { location: Object.fromEntries(places) }),
    ...(contextSize === undefined ? {} : { contextSize }),
  };
}

/** Reports whether the caller runs the search. A search at the provider needs no tool here: its tools are in the request. */
function isClientSearch(tool: StrictFields): boolean {
  return tool.text('execution') === 'client';
}

/** Reads a tool that the caller runs; null for hosted tools and tools that only OpenAI's models support. */
function readTool(tool: StrictFields, type: string, namespace: string | undefined): Tool | null {
  const description = tool.text('description');
  const described = description === undefined ? {} : { description };
  if (type === searchName && isClientSearch(tool)) {
    return { name: searchName, ...described, parameters: tool.object('parameters') ?? {} };
  }
  if (type === 'custom') {
    const format = tool.fields('format');
    const definition = format?.text('definition');
    const named = { name: flatName(tool.requiredText('name'), namespace), ...described };
    return textTool(definition === undefined ? named : { ...named, grammar: { syntax: format?.text('syntax') ?? 'lark', definition } });
  }
  if (type !== 'function') return null;
  const isStrict = tool.boolean('strict');
  return {
    name: flatName(tool.requiredText('name'), namespace),
    ...described,
    parameters: tool.object('parameters') ?? {},
    ...(isStrict === undefined ? {} : { isStrict }),
  };
}

/** Members that are read or have no effect: `defer_loading`, because all tools are sent, and `execution` of a search. */
const reported: ReadonlySet<string> = new Set([
  'type',
  'name',
  'description',
  'parameters',
  'strict',
  'format',
  'defer_loading',
  'execution',
]);

/** Returns members that the parts cannot hold, such as other callers of the tool and delayed results. */
function unread(tool: StrictFields): string[] {
  return tool.others(reported).filter((name) => !isUsual(name, tool.raw(name)));
}

/** Reports whether the member has its default: direct calls with immediate results. */
function isUsual(name: string, value: unknown): boolean {
  if (name === 'async') return value === false;
  return name === 'allowed_callers' && Array.isArray(value) && value.every((caller) => caller === 'direct');
}

/** Tool choice. */
export interface ReadChoice {
  choice?: ToolChoice;
  tools: Tool[];
}

/** @throws {AppError} `untranslatable` if a hosted tool is forced */
export function readToolChoice(fields: StrictFields, { tools, hosted, extras }: ReadTools): ReadChoice {
  const value = fields.raw('tool_choice');
  if (value === undefined) return { tools };
  if (!isObject(value)) {
    const kind = fields.oneOf('tool_choice', ['auto', 'none', 'required']) ?? 'auto';
    if (kind === 'required' && tools.length + hosted.length === 0 && extras.length > 0) throw untranslatable('tool_choice', otherProviders);
    return { choice: { kind }, tools };
  }
  const choice = new StrictFields(value, 'tool_choice');
  const type = choice.text('type');
  if (type === 'function' || type === 'custom') return { choice: { kind: 'tool', name: new ToolNames(tools).of(choice) }, tools };
  if (type !== 'allowed_tools') {
    const chosen = hosted.find(({ object }) => object['type'] === type);
    if (chosen === undefined) throw untranslatable('tool_choice', otherProviders);
    return { choice: { kind: 'hosted', hosted: chosen.kind, field: 'tool_choice' }, tools };
  }
  const kind = choice.oneOf('mode', ['auto', 'required']) ?? 'auto';
  const names = new ToolNames(tools);
  const allowed = new Set(choice.objects('tools').flatMap((tool) => (tool.has('name') ? [names.of(tool)] : [])));
  const left = tools.filter(({ name }) => allowed.has(name));
  if (left.length === 0 && kind === 'required') throw untranslatable('tool_choice', otherProviders);
  return { choice: { kind, allowed: left.map(({ name }) => name) }, tools };
}

/** Maximum characters of a tool name in a tool choice; vendors allow 64. */
const longestName = 256;

/** Resolves names in tool choices, with or without their namespace. */
class ToolNames {
  readonly #tools: readonly Tool[];
  readonly #names: ReadonlySet<string>;
  #withoutNamespace: ReadonlyMap<string, string> | undefined;

  constructor(tools: readonly Tool[]) {
    this.#tools = tools;
    this.#names = new Set(tools.map(({ name }) => name));
  }

  /** Returns the flat name. @throws {AppError} `invalid_request` for an unknown tool */
  of(chosen: StrictFields): string {
    const name = chosen.requiredText('name');
    const flat = flatName(name, chosen.text('namespace'));
    if (this.#names.has(flat)) return flat;
    this.#withoutNamespace ??= namesWithoutNamespace(this.#tools);
    const within = this.#withoutNamespace.get(name);
    if (within === undefined) throw badField(chosen.path('name'), fieldRules.oneOf(this.#tools.map((tool) => tool.name)));
    return within;
  }
}

/** Maps each suffix of a name after an underscore to the first name that has it. */
function namesWithoutNamespace(tools: readonly Tool[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { name } of tools) {
    if (name.length > longestName) continue;
    for (let at = name.indexOf('_'); at >= 0; at = name.indexOf('_', at + 1)) {
      const rest = name.slice(at + 1);
      if (!names.has(rest)) names.set(rest, name);
    }
  }
  return names;
}
