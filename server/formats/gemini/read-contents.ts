// Reads `contents` into messages. Consecutive turns of one side are merged, since clients return stream chunks as turns. Calls and results
// are matched by id, or else by name and order.
import { fieldRules } from '#shared/field-rules.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { otherProviders, untranslatable } from '../losses.ts';
import type {
  AssistantPart,
  HostedCallPart,
  HostedResultPart,
  Message,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UserPart,
} from '../parts.ts';
import type { ExtraField } from '../request-fields.ts';
import { badField, type StrictFields } from '#server/framing/strict-fields.ts';
import { argumentsOfCall, objectText } from '../tool-arguments.ts';
import { codeOf } from './code-parts.ts';
import { objectsOf } from '../proto-json.ts';
import { OpenCalls } from './open-calls.ts';
import { readMedia } from './read-media.ts';
import { readCallerSignature } from './thought-signature.ts';

export interface ReadContents {
  messages: Message[];
  extras: ExtraField[];
}

/** @throws {AppError} `invalid_request` with the field at fault; `untranslatable` for parts of Gemini only */
export function readContents(contents: readonly StrictFields[]): ReadContents {
  const reader = new ContentsReader();
  for (const content of contents) reader.content(content);
  return reader;
}

/** @throws {AppError} `invalid_request`, `untranslatable` */
export function readSystem(content: StrictFields | undefined): Message[] {
  if (content === undefined) return [];
  const texts = objectsOf(content, 'parts').map(readSystemText);
  const filled = texts.filter(({ text }) => text !== '');
  return filled.length === 0 ? [] : [{ role: 'system', content: filled, field: 'systemInstruction' }];
}

function readSystemText(part: StrictFields): TextPart {
  if (!part.has('text')) throw untranslatable(part.path('').slice(0, -1), otherProviders);
  return { type: 'text', text: part.requiredText('text') };
}

class ContentsReader implements ReadContents {
  readonly messages: Message[] = [];
  readonly extras: ExtraField[] = [];
  /** Last turn; null unless it has only results. */
  #results: Message | null = null;
  readonly #open = new OpenCalls();
  #calls = 0;

  content(content: StrictFields): void {
    const field = content.path('parts');
    const role = content.text('role') ?? 'user';
    const parts = objectsOf(content, 'parts');
    if (role === 'model') this.#model(parts, field);
    else if (role === 'system') this.messages.push(...readSystem(content));
    else if (['user', 'function', 'tool', ''].includes(role)) this.#user(parts, field);
    else throw badField(content.path('role'), fieldRules.oneOf(['user', 'model']));
  }

  #user(parts: readonly StrictFields[], field: string): void {
    const content = parts.flatMap((part) => this.#userPart(part));
    const last = this.messages.at(-1);
    const areResults = content.every(({ type }) => type === 'tool_result');
    // Results of one turn are combined in order.
    if (areResults && last?.role === 'user' && last === this.#results) for (const part of content) last.content.push(part);
    else if (content.length > 0) {
      const message: Message = { role: 'user', content, field };
      this.messages.push(message);
      this.#results = areResults ? message : null;
    }
  }

  #userPart(part: StrictFields): UserPart[] {
    this.#noteDetails(part);
    const result = part.fields('functionResponse');
    if (result !== undefined) return [this.#result(result)];
    const media = readMedia(part);
    if (media !== null) return [media];
    if (part.has('text')) return textOf(part);
    throw unknownPart(part);
  }

  #result(result: StrictFields): ToolResultPart {
    const name = result.text('name') ?? '';
    const id = result.text('id');
    const response = result.object('response') ?? {};
    const media = objectsOf(result, 'parts').map((part) => {
      const read = readMedia(part);
      if (read === null || read.type === 'audio') throw unknownPart(part);
      return read;
    });
    const { text, isError } = resultText(response);
    const texts: TextPart[] = text === '' ? [] : [{ type: 'text', text }];
    return { type: 'tool_result', callId: this.#callOf(id, name), content: [...texts, ...media], isError };
  }

  /** Returns the id of the call that a result belongs to. */
  #callOf(id: string | undefined, name: string): string {
    return this.#open.take(id, name) ?? id ?? name;
  }

  #model(parts: readonly StrictFields[], field: string): void {
    const last = this.messages.at(-1);
    const isSame = last?.role === 'assistant';
    const content: AssistantPart[] = isSame ? last.content : [];
    for (const part of parts) this.#modelPart(part, content);
    if (!isSame && content.length > 0) this.messages.push({ role: 'assistant', content, field });
  }

  #modelPart(part: StrictFields, content: AssistantPart[]): void {
    this.#noteDetails(part);
    const seal = readCallerSignature(part.text('thoughtSignature'));
    const sealed = seal === undefined ? {} : { seal };
    const call = part.fields('functionCall');
    if (call !== undefined) {
      content.push({ ...this.#call(call), ...sealed });
      return;
    }
    const text = part.text('text') ?? codeOf(part.plain);
    if (text === null) {
      content.push(hostedPart(part));
      return;
    }
    const last = content.at(-1);
    if (part.boolean('thought') === true) {
      // In a stream, a signature follows the text.
      if (last?.type === 'reasoning' && last.seal === undefined) Object.assign(last, { text: last.text + text, ...sealed });
      else if (text !== '' || seal !== undefined) content.push({ type: 'reasoning', text, ...sealed });
      return;
    }
    if (last?.type === 'text') last.text += text;
    else if (text !== '') content.push({ type: 'text', text });
    if (seal !== undefined) content.push({ type: 'sealed', seal });
  }

  #call(call: StrictFields): ToolCallPart {
    const name = call.requiredText('name');
    this.#calls += 1;
    // Deterministic, so that a repeated conversation stays in the cache.
    const id = call.text('id') ?? `call_${this.#calls}`;
    this.#open.add(id, name);
    return { type: 'tool_call', id, name, ...argumentsOfCall(call.raw('args')) };
  }

  /** Notes media fields that parts cannot hold; the resolution of an image is in its part. */
  #noteDetails(part: StrictFields): void {
    const names = part.fields('inlineData')?.text('mimeType')?.startsWith('image/') === true ? [] : ['mediaResolution'];
    for (const name of [...names, 'videoMetadata']) {
      if (part.has(name)) this.extras.push({ field: 'media_details', name: part.path(name), value: null });
    }
  }
}

function textOf(part: StrictFields): TextPart[] {
  const text = part.requiredText('text');
  return text === '' ? [] : [{ type: 'text', text }];
}

/** Reads the output or error of a function response. https://ai.google.dev/api/caching#FunctionResponse */
function resultText(response: Readonly<Record<string, unknown>>): { text: string; isError: boolean } {
  const names = Object.keys(response);
  const [name] = names;
  if (names.length === 0) return { text: '', isError: false };
  if (names.length > 1 || (name !== 'output' && name !== 'error')) return { text: objectText(response), isError: false };
  const value = response[name];
  return { text: typeof value === 'string' ? value : JSON.stringify(value), isError: name === 'error' };
}

/** Reads hosted tool calls and results. @throws {AppError} for other parts */
function hostedPart(part: StrictFields): HostedCallPart | HostedResultPart {
  const shared = { kind: 'other', origin: 'gemini', object: part.plain } as const;
  const call = part.fields('toolCall');
  if (call !== undefined) return { type: 'hosted_call', id: call.text('id') ?? '', ...shared, input: call.object('args') ?? {} };
  const response = part.fields('toolResponse');
  if (response === undefined) throw unknownPart(part);
  return { type: 'hosted_result', callId: response.text('id') ?? '', ...shared, sources: [], isError: false };
}

function unknownPart(part: StrictFields): Error {
  const names = Object.keys(part.plain).filter((name) => isObject(part.plain[name]));
  return names.length === 0 ? badField(part.path('text'), fieldRules.required) : untranslatable(part.path(names[0] ?? ''), otherProviders);
}
