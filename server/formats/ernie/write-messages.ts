// Writes messages of this format: each has one text or one tool call, and user and assistant alternate.
import { parseObject } from '#server/framing/loose-json.ts';
import type { Turn } from '../instructions.ts';
import { type Losses, untranslatable } from '../losses.ts';
import { namedText } from '../media.ts';
import type { AudioPart, FilePart, ImagePart, ToolCallPart, ToolResultPart } from '../parts.ts';
import { title } from './title.ts';

type Json = Record<string, unknown>;

/** Placeholder if the format requires a text. */
const filler = '...';

/** The first and last messages are the user's, and none is empty. @throws {AppError} `untranslatable` */
export function writeMessages(turns: readonly Turn[], losses: Losses): Json[] {
  const writer = new MessageWriter(losses);
  for (const turn of turns) writer.add(turn);
  return writer.messages();
}

class MessageWriter {
  readonly #losses: Losses;
  readonly #messages: Json[] = [];
  /** Calls without results so far, by id. */
  readonly #open = new Map<string, ToolCallPart>();

  constructor(losses: Losses) {
    this.#losses = losses;
  }

  messages(): Json[] {
    if (this.#messages[0]?.['role'] !== 'user') this.#messages.unshift({ role: 'user', content: filler });
    if (this.#messages.at(-1)?.['role'] === 'assistant') this.#messages.push({ role: 'user', content: filler });
    return this.#messages;
  }

  add(turn: Turn): void {
    if (turn.name !== undefined) this.#losses.drop('names');
    if (turn.content.some((part) => 'cache' in part && part.cache !== undefined)) this.#losses.drop('cache_hints');
    if (turn.role === 'assistant') {
      for (const part of turn.content) {
        if (part.type === 'text' || part.type === 'refusal') this.#say('assistant', part.text);
        else if (part.type === 'tool_call') this.#open.set(part.id, part);
        else if (part.type === 'hosted_call' || part.type === 'hosted_result') this.#losses.drop('provider_tool_results');
        else this.#losses.drop(part.type === 'reasoning' && part.seal === undefined ? 'unsigned_thoughts' : 'foreign_thoughts');
        if (part.type === 'tool_call' && part.seal !== undefined) this.#losses.drop('foreign_thoughts');
      }
      return;
    }
    for (const part of turn.content) {
      if (part.type === 'text') this.#say('user', part.text);
      else if (part.type === 'tool_result') this.#answer(part, turn.field);
      else this.#say('user', textOf(part, turn.field));
    }
  }

  #say(role: 'user' | 'assistant', text: string): void {
    if (text === '') return;
    const last = this.#messages.at(-1);
    if (last?.['role'] === role && last['function_call'] === undefined) last['content'] = `${String(last['content'])}\n${text}`;
    else {
      if (last?.['role'] === 'function' && role === 'user') this.#messages.push({ role: 'assistant', content: filler });
      this.#messages.push({ role, content: text });
    }
  }

  /** Parallel calls become separate turns. */
  #answer({ callId, content }: ToolResultPart, field: string): void {
    const call = this.#open.get(callId);
    this.#open.delete(callId);
    const text = content.map((part) => (part.type === 'text' ? part.text : textOf(part, field))).join('\n');
    if (call === undefined) return this.#say('user', text);
    const last = this.#messages.at(-1);
    const requested = { name: call.name, arguments: parseObject(call.arguments) === null ? '{}' : call.arguments };
    // Text before a call is in the same message.
    if (last?.['role'] === 'assistant' && last['function_call'] === undefined) last['function_call'] = requested;
    else {
      if (last === undefined) this.#messages.push({ role: 'user', content: filler });
      this.#messages.push({ role: 'assistant', content: filler, function_call: requested });
    }
    this.#messages.push({
      role: 'function',
      name: call.name,
      content: parseObject(text) === null ? JSON.stringify({ result: text }) : text,
    });
  }
}

function textOf(part: ImagePart | AudioPart | FilePart, field: string): string {
  const text = part.type === 'file' ? namedText(part) : null;
  if (text === null) throw untranslatable(field, title);
  return text;
}
