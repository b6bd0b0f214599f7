// Applies `tool_addition` and `tool_removal` within a conversation: other vendors receive the final set of tools.
// https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview
import { fieldRules } from '#shared/field-rules.ts';
import { otherProviders, untranslatable } from '../losses.ts';
import { badField, type StrictFields } from '#server/framing/strict-fields.ts';
import { isCompaction, lastCompaction } from './compaction.ts';

export const toolChangeTypes: ReadonlySet<string> = new Set(['tool_addition', 'tool_removal']);

/**
 * Returns the request's tools without removed ones, then added ones, in order.
 * @throws {AppError} `untranslatable` for changes to tools of MCP servers
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

/** Returns the changes in order; a compaction block contains the earlier ones. */
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

/** Returns the name of a tool, or the type of a hosted tool without a name. */
function nameOf(tool: StrictFields): string {
  return tool.text('name') ?? tool.text('type') ?? '';
}
