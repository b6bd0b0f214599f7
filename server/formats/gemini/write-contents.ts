// Writes messages as `contents`: turns of user and model, with the signatures of their parts.
import { parseObject } from '#server/framing/loose-json.ts';
import type { Turn } from '../instructions.ts';
import { type Losses, untranslatable } from '../losses.ts';
import type { AssistantPart, HostedCallPart, HostedResultPart, ToolCallPart, ToolResultPart, UserPart } from '../parts.ts';
import { objectOfCall } from '../tool-arguments.ts';
import { writeHosted } from './hosted-parts.ts';
import { writeMedia } from './media.ts';
import { signsCalls } from './model-generation.ts';
import { noSignature } from './thought-signature.ts';

type Json = Record<string, unknown>;

export interface Content {
  role: 'user' | 'model';
  parts: Json[];
}

const dialect = 'Gemini';
/** Placeholder where the format requires a text. */
const filler = '...';

/** @throws {AppError} `untranslatable` */
export function writeContents(turns: readonly Turn[], model: string, losses: Losses): Content[] {
  const writer = new ContentsWriter(model, losses);
  for (const turn of turns) {
    if (turn.role === 'user') writer.user(turn);
    else writer.model(turn);
  }
  return writer.contents();
}

class ContentsWriter {
  readonly #isSigned: boolean;
  readonly #losses: Losses;
  readonly #contents: Content[] = [];
  /** Tool names by call id: results contain the name. */
  readonly #names = new Map<string, string>();

  constructor(model: string, losses: Losses) {
    this.#isSigned = signsCalls(model);
    this.#losses = losses;
  }

  user({ content, field, name }: Extract<Turn, { role: 'user' }>): void {
    if (name !== undefined) this.#losses.drop('names');
    this.#add(
      'user',
      content.flatMap((part) => this.#userPart(part, field)),
    );
  }

  model({ content, name }: Extract<Turn, { role: 'assistant' }>): void {
    if (name !== undefined) this.#losses.drop('names');
    const parts = new ModelParts(this.#losses, this.#isSigned);
    for (const part of content) {
      if (part.type === 'tool_call') this.#names.set(part.id, part.name);
      parts.add(part);
    }
    this.#add('model', parts.finish());
  }

  #add(role: Content['role'], parts: Json[]): void {
    if (parts.length === 0) return;
    const last = this.#contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else this.#contents.push({ role, parts });
  }

  contents(): Content[] {
    const contents = this.#contents;
    if (contents[0]?.role !== 'user') contents.unshift({ role: 'user', parts: [{ text: filler }] });
    if (this.#isSigned) signSteps(contents);
    return contents;
  }

  #userPart(part: UserPart, field: string): Json[] {
    if (part.type === 'tool_result') return this.#result(part, field);
    if (part.type === 'text') return part.text === '' ? [] : [{ text: part.text }];
    return [this.#media(part, field)];
  }

  #media(part: Exclude<UserPart, { type: 'text' | 'tool_result' }>, field: string): Json {
    if (part.type === 'image' && part.detail !== undefined) this.#losses.drop('image_detail');
    const written = writeMedia(part);
    if (written === null) throw untranslatable(field, dialect);
    return written;
  }

  #result({ callId, content, isError }: ToolResultPart, field: string): Json[] {
    const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    const media = content.flatMap((part) => (part.type === 'text' ? [] : [this.#media(part, field)]));
    const response = isError ? { error: text } : (parseObject(text) ?? { output: text });
    const result: Json = { ...(this.#isSigned ? { id: callId } : {}), name: this.#names.get(callId) ?? callId, response };
    const isWithin = this.#isSigned && media.length > 0 && media.every(({ text: isText }) => isText === undefined);
    // Older models accept no media in results, so the media follow.
    return isWithin ? [{ functionResponse: { ...result, parts: media } }] : [{ functionResponse: result }, ...media];
  }
}

/** Parts of a model turn. A signature belongs to the part before it, to the call whose id it contains, or stands alone. */
class ModelParts {
  readonly #losses: Losses;
  readonly #hasIds: boolean;
  readonly #parts: Json[] = [];
  readonly #ofCalls = new Map<string, string>();
  #waiting: string | undefined;

  constructor(losses: Losses, hasIds: boolean) {
    this.#losses = losses;
    this.#hasIds = hasIds;
  }

  add(part: AssistantPart): void {
    switch (part.type) {
      case 'text':
      case 'refusal':
        if (part.text !== '') this.#push({ text: part.text });
        break;
      case 'reasoning':
        if (part.seal?.origin !== 'gemini') this.#losses.drop(part.seal === undefined ? 'unsigned_thoughts' : 'foreign_thoughts');
        else this.#parts.push({ text: part.text, thought: true, thoughtSignature: part.seal.data });
        break;
      case 'sealed':
        if (part.seal.origin !== 'gemini') this.#losses.drop('foreign_thoughts');
        else if (part.seal.callId !== undefined) this.#ofCalls.set(part.seal.callId, part.seal.data);
        else this.#sign(part.seal.data);
        break;
      case 'tool_call':
        this.#call(part);
        break;
      case 'hosted_call':
      case 'hosted_result':
        this.#hosted(part);
    }
  }

  /** Adds a part; a pending signature without a part before it goes to this one. */
  #push(part: Json): void {
    this.#parts.push(this.#waiting === undefined ? part : { ...part, thoughtSignature: this.#waiting });
    this.#waiting = undefined;
  }

  #sign(data: string): void {
    const last = this.#parts.at(-1);
    if (last !== undefined && last.text !== undefined && last.thought !== true && last.thoughtSignature === undefined)
      last.thoughtSignature = data;
    else this.#waiting = data;
  }

  #hosted(part: HostedCallPart | HostedResultPart): void {
    const written = writeHosted(part);
    for (const one of written) this.#push(one);
    // A tool that the format cannot express is visible in the model's text only.
    if (written.length === 0) this.#losses.drop('provider_tool_results');
  }

  #call(call: ToolCallPart): void {
    const { id, name, seal } = call;
    if (seal !== undefined && seal.origin !== 'gemini') this.#losses.drop('foreign_thoughts');
    const signature = seal?.origin === 'gemini' ? seal.data : this.#ofCalls.get(id);
    const functionCall = { ...(this.#hasIds ? { id } : {}), name, args: objectOfCall(call) };
    if (signature === undefined) this.#push({ functionCall });
    else this.#parts.push({ functionCall, thoughtSignature: signature });
  }

  finish(): Json[] {
    if (this.#waiting !== undefined) this.#push({ text: '' });
    return this.#parts;
  }
}

/**
 * The first call of each step since the last user message must be signed. Earlier steps are signed, too: what was sent must not change, or
 * the provider's cache is missed.
 */
function signSteps(contents: readonly Content[]): void {
  for (const { role, parts } of contents) {
    const first = role === 'model' ? parts.find(({ functionCall }) => functionCall !== undefined) : undefined;
    if (first !== undefined) first.thoughtSignature ??= noSignature;
  }
}
