// Tools added or removed within a conversation (`tool_addition`, `tool_removal`): other vendors have one set of tools, the final one.
// https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview
import { fieldRules } from '#shared/field-rules.ts';
import { otherProviders, untranslatable } from '../losses.ts';
import { badField, type StrictFields } from '#server/framing/strict-fields.ts';
import { isCompaction, lastCompaction } from './compaction.ts';

export const toolChangeTypes: ReadonlySet<string> = new Set(['tool_addition', 'tool_removal']);

/**
 * Returns the request's tools in order without removed ones, then added ones.
 * @throws {AppError} `untranslatable` for those of MCP servers
 */
export function toolsAtEnd(fields: StrictFields): StrictFields[] {
  const tools = fields.objects('tools');
  const changes = changesIn(fields);
  if (changes.length === 0) return tools;
  const known = new Map<string, StrictFields>();
  for (const tool of tools) known.set(nameOf(tool), tool);
  const gone = new Set<string>();
  for (const change of changes) {
    const tool = change.fields('tool');
    if (tool === undefined) throw badField(change.path('tool'), fieldRules.required);
    const definition = tool.text('type') === 'tool_definition' ? tool.fields('definition') : undefined;
    if (definition === undefined && tool.text('type') !== 'tool_reference') throw untranslatable(tool.path('type'), otherProviders);
    const name = definition === undefined ? tool.requiredText('name') : nameOf(definition);
    if (change.text('type') === 'tool_removal') gone.add(name);
    else gone.delete(name);
    if (definition !== undefined) known.set(name, definition);
  }
  return [...known].flatMap(([name, tool]) => (gone.has(name) ? [] : [tool]));
}

/** Changes in order; a compaction block holds those before it. */
function changesIn(fields: StrictFields): StrictFields[] {
  const messages = fields.objects('messages');
  const place = lastCompaction(messages.map(({ plain }) => plain));
  const since = place === null ? messages : messages.slice(place.message);
  return since.flatMap((message, index) => {
    const content = message.raw('content');
    if (!Array.isArray(content)) return [];
    const blocks = message.objects('content');
    if (index === 0 && place !== null) return blocks.findLast(({ plain }) => isCompaction(plain))?.objects('tool_changes') ?? [];
    return message.text('role') === 'system' ? blocks.filter((block) => toolChangeTypes.has(block.text('type') ?? '')) : [];
  });
}

/** Name of a tool, or the type of a hosted tool without a name. */
function nameOf(tool: StrictFields): string {
  return tool.text('name') ?? tool.text('type') ?? '';
}
