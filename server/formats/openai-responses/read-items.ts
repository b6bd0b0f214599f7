// Reads items of a Responses request into messages, with the tools and options among them.
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import type { AssistantPart, Message, TextPart, ToolResultPart, UserPart } from '../parts.ts';
import type { ExtraField } from '../request-fields.ts';
import type { Seal } from '../seal.ts';
import { otherProviders, untranslatable } from '../losses.ts';
import { ResultTurns } from '../result-turns.ts';
import { badField, type StrictFields } from '#server/framing/strict-fields.ts';
import { argumentsOfCall, argumentsOfFreeText } from '../tool-arguments.ts';
import { callIds } from './call-ids.ts';
import { readEncrypted } from './encrypted-content.ts';
import { readHostedItem } from './hosted-items.ts';
import { readContent, readTexts } from './read-content.ts';
import { flatName, searchName } from './tool-mappings.ts';

export interface ReadInput {
  messages: Message[];
  /** Tools in input items. */
  tools: StrictFields[];
  /** `configuration_update` items, in order: their options replace earlier ones. */
  updates: StrictFields[];
  extras: ExtraField[];
}

const compactions: ReadonlySet<string> = new Set(['compaction', 'compaction_trigger', 'context_compaction', 'compaction_summary']);

/** @throws {AppError} `invalid_request` with the field at fault */
export function readInput(fields: StrictFields): ReadInput {
  const input = fields.raw('input');
  const reader = new ItemReader();
  if (typeof input === 'string') {
    reader.read.messages.push({ role: 'user', content: [{ type: 'text', text: input }], field: 'input' });
    return reader.read;
  }
  for (const item of fields.objects('input')) reader.add(item);
  return reader.read;
}

class ItemReader {
  readonly read: ReadInput = { messages: [], tools: [], updates: [], extras: [] };
  readonly #results = new ResultTurns(this.read.messages);
  /** Seal of the next call. */
  #seal: Seal | undefined;

  add(item: StrictFields): void {
    const type = item.text('type') ?? 'message';
    switch (type) {
      case 'message':
        this.#message(item);
        break;
      case 'function_call':
      case 'custom_tool_call':
        this.#call(item, type);
        break;
      case 'function_call_output':
      case 'custom_tool_call_output':
        this.#result(item, readContent(item, 'output'));
        break;
      case 'tool_search_call':
        // A search without `call_id` ran at the provider; the tools it found are in the request.
        if (item.has('call_id')) this.#assistant({ ...this.#callOf(item, searchName), ...argumentsOfCall(item.raw('arguments')) }, item);
        break;
      case 'tool_search_output':
        this.#search(item);
        break;
      case 'additional_tools':
        this.read.tools.push(...item.objects('tools'));
        break;
      case 'configuration_update':
        this.read.updates.push(item);
        break;
      case 'reasoning':
        this.#thought(item);
        break;
      case 'item_reference':
        throw new AppError('responses_not_kept', { field: item.path('type') }, { field: item.path('type') });
      default:
        this.#ofProvider(item, type);
    }
  }

  /**
   * Reads items of hosted tools and compactions.
   * @throws {AppError} `untranslatable` for other items
   */
  #ofProvider(item: StrictFields, type: string): void {
    const hosted = readHostedItem(item.plain);
    for (const part of hosted ?? []) this.#assistant(part, item);
    if (hosted !== null) return;
    if (!compactions.has(type)) throw untranslatable(item.path('type'), otherProviders);
    this.#lose('compacted', item.path('type'));
  }

  #lose(field: 'compacted' | 'phase', name: string): void {
    this.read.extras.push({ field, name, value: null });
  }

  #message(item: StrictFields): void {
    const field = item.path('content');
    const role = item.oneOf('role', ['user', 'assistant', 'system', 'developer']);
    if (role === undefined) throw badField(item.path('role'), fieldRules.required);
    if (!item.has('content')) throw badField(item.path('content'), fieldRules.required);
    if (role === 'assistant') {
      if (item.has('phase')) this.#lose('phase', 'phase');
      for (const part of readAssistantContent(item)) this.#assistant(part, item);
    } else if (role === 'user') this.read.messages.push({ role, content: readContent(item, 'content'), field });
    else this.read.messages.push({ role: 'system', content: readTexts(item, 'content'), field });
  }

  /** Adds a part to the assistant's message; the items of one turn are one message. */
  #assistant(part: AssistantPart, item: StrictFields): void {
    const last = this.read.messages.at(-1);
    if (last?.role === 'assistant') last.content.push(part);
    else this.read.messages.push({ role: 'assistant', content: [part], field: fieldOf(item) });
  }

  #call(item: StrictFields, type: string): void {
    const call = this.#callOf(item, flatName(item.requiredText('name'), item.text('namespace')));
    const written = type === 'custom_tool_call' ? argumentsOfFreeText(item.requiredText('input')) : argumentsOfCall(item.raw('arguments'));
    this.#assistant({ ...call, ...written }, item);
  }

  #callOf(item: StrictFields, name: string) {
    const seal = this.#seal;
    this.#seal = undefined;
    return { type: 'tool_call' as const, id: callIds.read(item.requiredText('call_id')), name, ...(seal === undefined ? {} : { seal }) };
  }

  #result(item: StrictFields, content: UserPart[]): void {
    const parts = content.filter((part): part is ToolResultPart['content'][number] => part.type !== 'audio' && part.type !== 'tool_result');
    const result: ToolResultPart = {
      type: 'tool_result',
      callId: callIds.read(item.requiredText('call_id')),
      content: parts,
      isError: false,
    };
    this.#results.add(result, item.path('output'));
  }

  /** Makes found tools callable. */
  #search(item: StrictFields): void {
    const tools = item.objects('tools');
    this.read.tools.push(...tools);
    if (!item.has('call_id')) return;
    const found = tools.flatMap((tool) => {
      const name = tool.text('name') ?? '';
      return tool.text('type') === 'namespace' ? tool.objects('tools').map((inner) => flatName(inner.text('name') ?? '', name)) : [name];
    });
    this.#result(item, [{ type: 'text', text: JSON.stringify({ tools: found }) }]);
  }

  #thought(item: StrictFields): void {
    const text = thoughtIn(item);
    const encrypted = item.text('encrypted_content') ?? '';
    const read = encrypted === '' ? null : readEncrypted(encrypted, text !== '');
    if (read === null || read.kind === 'call') {
      if (text !== '') this.#assistant({ type: 'reasoning', text }, item);
      this.#seal = read?.seal ?? this.#seal;
      return;
    }
    const { seal, kind } = read;
    this.#assistant(kind === 'signature' ? { type: 'reasoning', text, seal } : { type: 'sealed', seal }, item);
  }
}

function fieldOf(item: StrictFields): string {
  return item.path('').slice(0, -1);
}

/** Returns the summary of the thinking, or, without one, the thinking itself. */
function thoughtIn(item: StrictFields): string {
  const textsOf = (field: string) => item.objects(field).map((part) => part.text('text') ?? '');
  return textsOf('summary').join('\n\n') || textsOf('content').join('');
}

function readAssistantContent(item: StrictFields): AssistantPart[] {
  if (typeof item.raw('content') === 'string') return readTexts(item, 'content');
  return item.objects('content').map((part): AssistantPart => {
    if (part.oneOf('type', ['output_text', 'input_text', 'text', 'refusal']) === 'refusal')
      return { type: 'refusal', text: part.requiredText('refusal') };
    const text: TextPart = { type: 'text', text: part.requiredText('text') };
    return text;
  });
}
