// Tools and tool choice. https://ai.google.dev/gemini-api/docs/function-calling
import { otherProviders, untranslatable } from '../losses.ts';
import type { HostedTool, Tool, ToolChoice } from '../parts.ts';
import type { ExtraField, RequestField } from '../request-fields.ts';
import type { StrictFields } from '#server/framing/strict-fields.ts';
import { readSchema } from './caller-schema.ts';
import { kindOfMember } from './hosted-tools.ts';
import { objectsOf } from '../proto-json.ts';

export interface ReadTools {
  tools: Tool[];
  hosted: HostedTool[];
  choice?: ToolChoice;
  extras: ExtraField[];
}

/** Hosted tools that cannot be dropped. */
const essentialTools: Readonly<Record<string, RequestField>> = { computerUse: 'taught_tools', mcpServers: 'mcp_servers' };
const modes = ['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'] as const;
/** Members of a declaration, except response schema and behavior, which only this format has. */
const reported: ReadonlySet<string> = new Set(['name', 'description', 'parameters', 'parametersJsonSchema']);

/** @throws {AppError} `invalid_request` with the field at fault; `untranslatable` for features of Gemini only */
export function readTools(fields: StrictFields): ReadTools {
  const tools: Tool[] = [];
  const hosted: HostedTool[] = [];
  const extras: ExtraField[] = [];
  for (const tool of objectsOf(fields, 'tools')) {
    for (const declared of objectsOf(tool, 'functionDeclarations')) {
      tools.push(readFunction(declared));
      for (const name of declared.others(reported)) extras.push({ field: null, name: declared.path(name), value: null });
    }
    for (const name of tool.others(new Set(['functionDeclarations']))) {
      const essential = Object.hasOwn(essentialTools, name) ? essentialTools[name] : undefined;
      if (essential !== undefined) throw untranslatable(tool.path(name), otherProviders);
      const kind = kindOfMember(name) ?? 'other';
      const object = { [name]: tool.raw(name) };
      hosted.push({ type: 'hosted_tool', kind, origin: 'gemini', object, options: {}, field: tool.path(name) });
    }
  }
  return withChoice({ tools, hosted, extras }, fields.fields('toolConfig'));
}

function readFunction(declared: StrictFields): Tool {
  const schema = declared.object('parametersJsonSchema') ?? declared.object('parameters');
  const description = declared.text('description');
  return {
    name: declared.requiredText('name'),
    parameters: schema === undefined ? {} : readSchema(schema),
    ...(description === undefined ? {} : { description }),
  };
}

function withChoice(read: ReadTools, config: StrictFields | undefined): ReadTools {
  if (config === undefined) return read;
  const { extras } = read;
  for (const name of config.others(new Set(['functionCallingConfig']))) extras.push({ field: null, name: config.path(name), value: null });
  const calling = config.fields('functionCallingConfig');
  const mode = calling?.oneOf('mode', modes) ?? 'MODE_UNSPECIFIED';
  const allowed = (calling?.list('allowedFunctionNames') ?? []).filter((name) => typeof name === 'string');
  if (mode === 'MODE_UNSPECIFIED') return read;
  if (mode === 'AUTO') return { ...read, choice: { kind: 'auto' } };
  if (mode === 'NONE') return { ...read, choice: { kind: 'none' } };
  const [only] = allowed;
  if (mode === 'ANY' && only !== undefined && allowed.length === 1) return { ...read, choice: { kind: 'tool', name: only } };
  return { ...read, choice: { kind: mode === 'ANY' ? 'required' : 'auto', ...(allowed.length === 0 ? {} : { allowed }) } };
}
