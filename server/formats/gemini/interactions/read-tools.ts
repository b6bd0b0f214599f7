// Tools and tool choice. https://ai.google.dev/gemini-api/docs/interactions#function-calling
import { fieldRules } from '#shared/field-rules.ts';
import { otherProviders, untranslatable } from '../../losses.ts';
import type { HostedTool, Tool, ToolChoice } from '../../parts.ts';
import type { ExtraField } from '../../request-fields.ts';
import { badField, type StrictFields } from '#server/framing/strict-fields.ts';
import { kindOfTool } from './hosted-tools.ts';

export interface ReadTools {
  tools: Tool[];
  hosted: HostedTool[];
  choice?: ToolChoice;
  extras: ExtraField[];
}

/** Hosted tools that cannot be dropped. */
const essential: ReadonlySet<string> = new Set(['computer_use', 'mcp_server']);
const reported: ReadonlySet<string> = new Set(['type', 'name', 'description', 'parameters']);
const modes = ['auto', 'any', 'none', 'validated'] as const;

/** @throws {AppError} `invalid_request` with the field at fault; `untranslatable` for features of Google only */
export function readTools(fields: StrictFields, config: StrictFields): ReadTools {
  const tools: Tool[] = [];
  const hosted: HostedTool[] = [];
  const extras: ExtraField[] = [];
  for (const tool of fields.objects('tools')) {
    const type = tool.requiredText('type');
    const field = tool.path('').slice(0, -1);
    if (essential.has(type)) throw untranslatable(tool.path('type'), otherProviders);
    if (type === 'function') {
      tools.push(readFunction(tool));
      for (const name of tool.others(reported)) extras.push({ field: null, name: tool.path(name), value: null });
    } else {
      const kind = kindOfTool(tool.plain) ?? 'other';
      hosted.push({ type: 'hosted_tool', kind, origin: 'gemini-interactions', object: tool.plain, options: {}, field });
      for (const name of tool.others(new Set(['type']))) extras.push({ field: null, name: tool.path(name), value: null });
    }
  }
  return { tools, hosted, extras, ...readChoice(config) };
}

function readFunction(tool: StrictFields): Tool {
  const description = tool.text('description');
  return {
    name: tool.requiredText('name'),
    parameters: tool.object('parameters') ?? {},
    ...(description === undefined ? {} : { description }),
  };
}

/** Reads the tool choice: a mode, or a mode with allowed tools. */
function readChoice(config: StrictFields): Pick<ReadTools, 'choice'> {
  const value = config.raw('tool_choice');
  if (value === undefined) return {};
  if (typeof value === 'string') return { choice: choiceOf(config.oneOf('tool_choice', modes) ?? 'auto') };
  const allowed = config.fields('tool_choice')?.fields('allowed_tools');
  if (allowed === undefined) throw badField(config.path('tool_choice'), fieldRules.oneOf(modes));
  const mode = allowed.oneOf('mode', modes) ?? 'auto';
  const names = (allowed.list('tools') ?? []).filter((name) => typeof name === 'string');
  const [only] = names;
  if (mode === 'any' && only !== undefined && names.length === 1) return { choice: { kind: 'tool', name: only } };
  return { choice: { ...choiceOf(mode), ...(names.length === 0 ? {} : { allowed: names }) } };
}

function choiceOf(mode: (typeof modes)[number]): { kind: 'auto' | 'none' | 'required' } {
  return { kind: mode === 'any' ? 'required' : mode === 'none' ? 'none' : 'auto' };
}
