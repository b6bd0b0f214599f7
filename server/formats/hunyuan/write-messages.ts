// Writes messages of this format: user or tool turns alternate with assistant turns, and none is empty.
import type { Turn } from '../instructions.ts';
import { type Losses, untranslatable } from '../losses.ts';
import { dataUrl, imageType, namedText } from '../media.ts';
import type { AssistantPart, AudioPart, FilePart, ImagePart, TextPart, ToolResultPart } from '../parts.ts';
import { title } from './title.ts';

type Json = Record<string, unknown>;

/** Placeholder if the format requires a text. */
const filler = '...';

/** The first and last turns are the user's or tool results. @throws {AppError} `untranslatable` */
export function writeMessages(turns: readonly Turn[], losses: Losses): Json[] {
  const writer = new MessageWriter(losses);
  for (const turn of turns) writer.add(turn);
  return writer.messages();
}

class MessageWriter {
  readonly #losses: Losses;
  readonly #messages: Json[] = [];
  /** User messages, whose content is written when complete. */
  readonly #userMessages: { message: Json; blocks: Json[] }[] = [];

  constructor(losses: Losses) {
    this.#losses = losses;
  }

  messages(): Json[] {
    for (const { message, blocks } of this.#userMessages) Object.assign(message, contentOf(blocks));
    if (this.#messages[0]?.['Role'] !== 'user') this.#messages.unshift({ Role: 'user', Content: filler });
    if (this.#lastRole === 'assistant') this.#messages.push({ Role: 'user', Content: filler });
    return this.#messages;
  }

  add(turn: Turn): void {
    if (turn.name !== undefined) this.#losses.drop('names');
    if (turn.content.some((part) => 'cache' in part && part.cache !== undefined)) this.#losses.drop('cache_hints');
    if (turn.role === 'assistant') return this.#answered(turn.content);
    const blocks: Json[] = [];
    for (const part of turn.content) {
      if (part.type === 'tool_result') blocks.push(...this.#result(part, turn.field));
      else blocks.push(this.#block(part, turn.field));
    }
    this.#requested(blocks.filter(({ Type, Text }) => Type !== 'text' || Text !== ''));
  }

  get #lastRole(): unknown {
    return this.#messages.at(-1)?.['Role'];
  }

  #requested(blocks: readonly Json[]): void {
    if (blocks.length === 0) return;
    if (this.#lastRole === 'tool') this.#messages.push({ Role: 'assistant', Content: filler });
    const last = this.#userMessages.at(-1);
    if (last !== undefined && last.message === this.#messages.at(-1)) {
      for (const block of blocks) last.blocks.push(block);
      return;
    }
    const message: Json = { Role: 'user' };
    this.#userMessages.push({ message, blocks: [...blocks] });
    this.#messages.push(message);
  }

  #answered(parts: readonly AssistantPart[]): void {
    const texts: string[] = [];
    const calls: Json[] = [];
    for (const part of parts) {
      if (part.type === 'text' || part.type === 'refusal') texts.push(part.text);
      else if (part.type === 'tool_call') {
        if (part.seal !== undefined) this.#losses.drop('foreign_thoughts');
        const text = part.arguments === '' ? '{}' : part.arguments;
        calls.push({ Id: part.id, Type: 'function', Function: { Name: part.name, Arguments: text }, Index: calls.length });
      } else if (part.type === 'hosted_call' || part.type === 'hosted_result') this.#losses.drop('provider_tool_results');
      // Messages with thinking are rejected.
      else this.#losses.drop(part.type === 'reasoning' && part.seal === undefined ? 'unsigned_thoughts' : 'foreign_thoughts');
    }
    const text = texts.filter((one) => one !== '').join('\n');
    if (text === '' && calls.length === 0) return;
    const last = this.#messages.at(-1);
    if (last?.['Role'] === 'assistant' && last['ToolCalls'] === undefined) {
      const both = [last['Content'], text].filter((one) => one !== filler && one !== '').join('\n');
      last['Content'] = both === '' ? filler : both;
      if (calls.length > 0) last['ToolCalls'] = calls;
      return;
    }
    if (last?.['Role'] === 'assistant') this.#messages.push({ Role: 'user', Content: filler });
    this.#messages.push({ Role: 'assistant', Content: text === '' ? filler : text, ...(calls.length === 0 ? {} : { ToolCalls: calls }) });
  }

  /** Content other than text follows in the user message. */
  #result({ callId, content }: ToolResultPart, field: string): Json[] {
    const texts = content.filter((part): part is TextPart => part.type === 'text').map(({ text }) => text);
    const text = texts.join('\n');
    // Without a preceding call, the result is written as user content.
    if (this.#lastRole !== 'assistant' && this.#lastRole !== 'tool') return content.map((part) => this.#block(part, field));
    this.#messages.push({ Role: 'tool', ToolCallId: callId, Content: text === '' ? filler : text });
    return content.filter((part) => part.type !== 'text').map((part) => this.#block(part, field));
  }

  #block(part: TextPart | ImagePart | AudioPart | FilePart, field: string): Json {
    if (part.type === 'text') return { Type: 'text', Text: part.text };
    if (part.type === 'image' && part.source.kind !== 'id') {
      const { source, detail } = part;
      if (detail !== undefined) this.#losses.drop('image_detail');
      const url = source.kind === 'url' ? source.url : dataUrl(imageType(source.data, source.mediaType), source.data);
      return { Type: 'image_url', ImageUrl: { Url: url } };
    }
    const text = part.type === 'file' ? namedText(part) : null;
    if (text === null) throw untranslatable(field, title);
    return { Type: 'text', Text: text };
  }
}

/** Returns the content of a message; a list must contain a text. */
function contentOf(blocks: readonly Json[]): Json {
  if (blocks.every(({ Type }) => Type === 'text')) return { Content: blocks.map(({ Text }) => String(Text)).join('\n') };
  return { Contents: blocks.some(({ Type }) => Type === 'text') ? blocks : [{ Type: 'text', Text: filler }, ...blocks] };
}
