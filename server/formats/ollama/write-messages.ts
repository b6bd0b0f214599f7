// Writes messages of this format.
import { type Losses, untranslatable } from '../losses.ts';
import { namedText } from '../media.ts';
import type { AssistantPart, ImagePart, Message, ReasoningPart, ToolCallPart, ToolResultPart, UserPart } from '../parts.ts';
import { argumentsObject } from '../tool-arguments.ts';
import { title } from './title.ts';

type Json = Record<string, unknown>;

/** @throws {AppError} `untranslatable` */
export function writeMessages(messages: readonly Message[], losses: Losses): Json[] {
  const writer = new MessageWriter(losses);
  return messages.flatMap((message) => writer.message(message));
}

class MessageWriter {
  readonly #losses: Losses;
  /** Tool names by call id: results contain the name. */
  readonly #called = new Map<string, string>();

  constructor(losses: Losses) {
    this.#losses = losses;
  }

  message(message: Message): Json[] {
    if (message.content.some((part) => 'cache' in part && part.cache !== undefined)) this.#losses.drop('cache_hints');
    if (message.role === 'system') return message.content.length === 0 ? [] : [{ role: 'system', content: joined(message.content) }];
    if (message.name !== undefined) this.#losses.drop('names');
    return message.role === 'user' ? this.#user(message.content, message.field) : this.#assistant(message.content);
  }

  /** Tool results are separate messages and come first; their images follow in the user message. */
  #user(content: readonly UserPart[], field: string): Json[] {
    const messages: Json[] = [];
    const texts: string[] = [];
    const images: string[] = [];
    const add = (part: Exclude<UserPart, ToolResultPart>): void => {
      if (part.type === 'text') texts.push(part.text);
      else if (part.type === 'image') images.push(this.#image(part, field));
      else {
        const text = part.type === 'file' ? namedText(part) : null;
        if (text === null) throw untranslatable(field, title);
        texts.push(text);
      }
    };
    for (const part of content) {
      if (part.type !== 'tool_result') {
        add(part);
        continue;
      }
      messages.push(this.#result(part));
      for (const inner of part.content) if (inner.type !== 'text') add(inner);
    }
    if (texts.length + images.length === 0) return messages;
    return [...messages, { role: 'user', content: texts.join('\n'), ...(images.length === 0 ? {} : { images }) }];
  }

  #image({ source, detail }: ImagePart, field: string): string {
    if (detail !== undefined) this.#losses.drop('image_detail');
    if (source.kind !== 'base64') throw untranslatable(field, title);
    return source.data;
  }

  #result({ callId, content }: ToolResultPart): Json {
    const name = this.#called.get(callId);
    const text = joined(content.filter((part) => part.type === 'text'));
    return { role: 'tool', content: text, ...(name === undefined ? {} : { tool_name: name }) };
  }

  #assistant(parts: readonly AssistantPart[]): Json[] {
    const texts: string[] = [];
    const thoughts: string[] = [];
    const calls: Json[] = [];
    for (const part of parts) {
      if (part.type === 'text' || part.type === 'refusal') texts.push(part.text);
      else if (part.type === 'tool_call') calls.push(this.#call(part));
      else if (part.type === 'hosted_call' || part.type === 'hosted_result') this.#losses.drop('provider_tool_results');
      // Signed thinking is another model's.
      else if (part.type === 'reasoning' && isUnsigned(part)) thoughts.push(part.text);
      else this.#losses.drop('foreign_thoughts');
    }
    if (texts.length + thoughts.length + calls.length === 0) return [];
    const message: Json = { role: 'assistant', content: texts.join('\n') };
    if (thoughts.length > 0) message.thinking = thoughts.join('\n');
    if (calls.length > 0) message.tool_calls = calls;
    return [message];
  }

  #call({ id, name, arguments: text, seal }: ToolCallPart): Json {
    if (seal !== undefined) this.#losses.drop('foreign_thoughts');
    this.#called.set(id, name);
    return { function: { name, arguments: argumentsObject(text) } };
  }
}

/** Whether thinking has no signature; some callers send an empty one. */
function isUnsigned({ seal }: ReasoningPart): boolean {
  return seal === undefined || seal.data === '';
}

function joined(parts: readonly { text: string }[]): string {
  return parts.map(({ text }) => text).join('\n');
}
