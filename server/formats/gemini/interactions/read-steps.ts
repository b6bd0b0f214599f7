// Reads steps into messages. Consecutive steps of one side are one turn; thinking precedes the step it led to.
import { fieldRules } from '#shared/field-rules.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { HostedKind } from '#shared/hosted-tools.ts';
import type { AssistantPart, HostedCallPart, HostedResultPart, Message, ToolCallPart, ToolResultPart, UserPart } from '../../parts.ts';
import { otherProviders, untranslatable } from '../../losses.ts';
import type { ExtraField } from '../../request-fields.ts';
import type { Seal } from '../../seal.ts';
import { badField, StrictFields } from '#server/framing/strict-fields.ts';
import { argumentsOfCall } from '../../tool-arguments.ts';
import { readCallerSignature } from '../thought-signature.ts';
import { isContent, stepsOf } from './items.ts';
import { readContent } from './read-content.ts';

export interface ReadSteps {
  messages: Message[];
  extras: ExtraField[];
}

/** @throws {AppError} `invalid_request` with the field at fault */
export function readSteps(input: unknown): ReadSteps {
  const reader = new StepsReader();
  const isOne = !Array.isArray(input) || input.every(isContent);
  const isTurn = isOne && (!isObject(input) || isContent(input));
  for (const [index, item] of stepsOf(input).entries()) {
    const step = new StrictFields(item, isOne ? 'input' : `input.${index}`);
    reader.step(step, isTurn ? 'input' : step.path('content'));
  }
  reader.end();
  return reader;
}

const hostedKinds: Readonly<Record<string, HostedKind>> = {
  google_search: 'web_search',
  code_execution: 'code_execution',
  url_context: 'web_fetch',
  file_search: 'file_search',
  retrieval: 'file_search',
  google_maps: 'maps',
  mcp_server_tool: 'mcp',
};

class StepsReader implements ReadSteps {
  readonly messages: Message[] = [];
  readonly extras: ExtraField[] = [];
  /** Signatures that precede the calls they sign. */
  readonly #ofCalls = new Map<string, Seal>();
  /** Whether the last user turn has only results. */
  #endsWithResults = false;
  /** Standalone signature: it signs the call that follows immediately. */
  #alone: Seal | null = null;

  /** @param place path of a user turn's content */
  step(step: StrictFields, place: string): void {
    const type = step.text('type') ?? step.text('role') ?? '';
    if (type !== 'function_call') this.#settle(step);
    switch (type) {
      case 'user_input':
      case 'user':
        this.#user(this.#contents(step, 'content'), place);
        break;
      case 'model_output':
      case 'model':
        this.#output(step);
        break;
      case 'thought':
        this.#thought(step);
        break;
      case 'function_call':
        this.#call(step);
        break;
      case 'function_result':
        this.#user([this.#result(step)], step.path('result'));
        break;
      default:
        this.#hosted(step, type);
    }
  }

  end(): void {
    this.#settle(new StrictFields({}, 'input'));
    const content = this.#ofCalls.size === 0 ? null : this.#assistant('input');
    for (const seal of this.#ofCalls.values()) content?.push({ type: 'sealed', seal });
  }

  #settle(step: StrictFields): void {
    if (this.#alone !== null) this.#assistant(fieldOf(step)).push({ type: 'sealed', seal: this.#alone });
    this.#alone = null;
  }

  #contents(step: StrictFields, name: string) {
    const value = step.raw(name);
    if (typeof value === 'string') return value === '' ? [] : [{ type: 'text' as const, text: value }];
    const list = isContent(value) ? [new StrictFields(value, step.path(name))] : step.objects(name);
    return list.flatMap((content) => readContent(content, this.extras));
  }

  #user(content: UserPart[], field: string): void {
    const last = this.messages.at(-1);
    const areResults = content.every(({ type }) => type === 'tool_result');
    // Results of one turn are combined in order.
    if (last?.role === 'user' && this.#endsWithResults && areResults) last.content.push(...content);
    else if (content.length > 0) {
      this.messages.push({ role: 'user', content, field });
      this.#endsWithResults = areResults;
    }
  }

  #assistant(field: string): AssistantPart[] {
    const last = this.messages.at(-1);
    if (last?.role === 'assistant') return last.content;
    const content: AssistantPart[] = [];
    this.messages.push({ role: 'assistant', content, field });
    return content;
  }

  #output(step: StrictFields): void {
    const parts = this.#contents(step, 'content');
    if (parts.length === 0) return;
    const content = this.#assistant(fieldOf(step));
    for (const part of parts) {
      if (part.type === 'text') content.push({ type: 'text', text: part.text });
      else this.extras.push({ field: null, name: step.path('content'), value: null });
    }
  }

  #thought(step: StrictFields): void {
    const text = this.#contents(step, 'summary')
      .flatMap((part) => (part.type === 'text' ? [part.text] : []))
      .join('');
    const seal = readCallerSignature(step.text('signature'));
    if (seal?.callId !== undefined) this.#ofCalls.set(seal.callId, seal);
    const own = seal === undefined || seal.callId !== undefined ? {} : { seal };
    if (text !== '') this.#assistant(fieldOf(step)).push({ type: 'reasoning', text, ...own });
    else if (seal !== undefined && seal.callId === undefined) this.#alone = seal;
  }

  #call(step: StrictFields): void {
    const id = step.requiredText('id');
    const own = this.#ofCalls.get(id);
    this.#ofCalls.delete(id);
    const seal = own ?? (this.#alone?.origin === 'gemini' ? this.#alone : undefined);
    if (own === undefined && seal !== undefined) this.#alone = null;
    this.#settle(step);
    const call: ToolCallPart = {
      type: 'tool_call',
      id,
      name: step.requiredText('name'),
      ...argumentsOfCall(step.raw('arguments')),
      ...(seal === undefined ? {} : { seal }),
    };
    this.#assistant(fieldOf(step)).push(call);
  }

  #result(step: StrictFields): ToolResultPart {
    const result = step.raw('result');
    const isJson = isObject(result) && !isContent(result);
    const isList = Array.isArray(result) && !result.every(isContent);
    const parts = isJson || isList ? [{ type: 'text' as const, text: JSON.stringify(result) }] : this.#contents(step, 'result');
    const content = parts.map((part) => {
      if (part.type === 'audio') throw untranslatable(step.path('result'), otherProviders);
      return part;
    });
    return { type: 'tool_result', callId: step.requiredText('call_id'), content, isError: step.boolean('is_error') ?? false };
  }

  /** Reads hosted tool calls and results. @throws {AppError} for other steps */
  #hosted(step: StrictFields, type: string): void {
    const [, name = '', part] = /^(\w+)_(call|result)$/.exec(type) ?? [];
    if (part === undefined) throw badField(step.path('type'), fieldRules.oneOf(['user_input', 'model_output', 'function_call']));
    const shared = { kind: hostedKinds[name] ?? 'other', origin: 'gemini-interactions', object: step.plain } as const;
    this.#assistant(fieldOf(step)).push(part === 'call' ? hostedCall(step, shared) : hostedResult(step, shared));
  }
}

type Shared = Pick<HostedCallPart, 'kind' | 'origin' | 'object'>;

function hostedCall(step: StrictFields, shared: Shared): HostedCallPart {
  const requested = step.object('arguments') ?? {};
  const { queries } = requested;
  const input = Array.isArray(queries) ? { query: queries.filter((query) => typeof query === 'string').join(' ') } : requested;
  return { type: 'hosted_call', id: step.text('id') ?? '', ...shared, input };
}

function hostedResult(step: StrictFields, shared: Shared): HostedResultPart {
  const result = step.raw('result');
  const output = typeof result === 'string' ? { output: result } : {};
  const isError = step.boolean('is_error') ?? false;
  return { type: 'hosted_result', callId: step.text('call_id') ?? '', ...shared, sources: [], ...output, isError };
}

function fieldOf(step: StrictFields): string {
  return step.path('').slice(0, -1);
}
