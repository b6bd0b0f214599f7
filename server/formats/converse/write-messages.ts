// Writes messages of this format.
import type { Turn } from '../instructions.ts';
import { type Losses, untranslatable } from '../losses.ts';
import type { AssistantPart, AudioPart, FilePart, ImagePart, ToolResultPart, UserPart } from '../parts.ts';
import { objectOfCall } from '../tool-arguments.ts';
import { fitCalls } from './fit-calls.ts';
import { writeMedia } from './media.ts';
import { title } from './title.ts';

type Json = Record<string, unknown>;

export interface Message {
  role: Turn['role'];
  content: Json[];
}

/** Placeholder if the format requires a text. */
const filler = '...';

export interface MessageOptions {
  losses: Losses;
  /** Whether the model caches marked prompts. */
  preservesMarked: boolean;
}

/** Turns alternate and begin with the user's; none is empty. @throws {AppError} `untranslatable` */
export function writeMessages(turns: readonly Turn[], options: MessageOptions): Message[] {
  const writer = new MessageWriter(options);
  const messages: Message[] = [];
  for (const turn of turns) {
    const content = writer.turn(turn);
    const last = messages.at(-1);
    if (content.length === 0) continue;
    if (last?.role === turn.role) last.content.push(...content);
    else messages.push({ role: turn.role, content });
  }
  if (messages[0]?.role !== 'user') messages.unshift({ role: 'user', content: [{ text: filler }] });
  const inOrder = messages.map(({ role, content }) => ({ role, content: ordered(content) }));
  fitCalls(inOrder);
  return inOrder;
}

/** Orders content as required: tool results first, and a text next to a document. */
function ordered(content: readonly Json[]): Json[] {
  const results = content.filter((block) => 'toolResult' in block);
  const others = content.filter((block) => !('toolResult' in block));
  const isBare = others.some((block) => 'document' in block) && !others.some((block) => 'text' in block);
  return [...results, ...others, ...(isBare ? [{ text: filler }] : [])];
}

class MessageWriter {
  readonly #losses: Losses;
  readonly #preservesMarked: boolean;
  /** Names of documents. */
  readonly #names = new Map<string, number>();

  constructor({ losses, preservesMarked }: MessageOptions) {
    this.#losses = losses;
    this.#preservesMarked = preservesMarked;
  }

  turn(turn: Turn): Json[] {
    if (turn.name !== undefined) this.#losses.drop('names');
    return turn.role === 'user'
      ? turn.content.flatMap((part) => this.#marked(part, this.#userPart(part, turn.field)))
      : turn.content.flatMap((part) => this.#marked(part, this.#assistantPart(part)));
  }

  /** Adds a cache point after a marked part. */
  #marked(part: UserPart | AssistantPart, written: Json[]): Json[] {
    if (!('cache' in part) || part.cache === undefined || written.length === 0) return written;
    if (this.#preservesMarked) return [...written, cachePoint];
    this.#losses.drop('cache_hints');
    return written;
  }

  #userPart(part: UserPart, field: string): Json[] {
    if (part.type === 'text') return writeText(part.text);
    return [part.type === 'tool_result' ? this.#result(part, field) : this.#media(part, field)];
  }

  #media(part: ImagePart | AudioPart | FilePart, field: string): Json {
    if (part.type === 'image' && part.detail !== undefined) this.#losses.drop('image_detail');
    const written = writeMedia(part, this.#names);
    if (written === null) throw untranslatable(field, title);
    return written;
  }

  #result({ callId, content, isError }: ToolResultPart, field: string): Json {
    const written = content.flatMap((part) => (part.type === 'text' ? writeText(part.text) : [this.#media(part, field)]));
    const status = isError ? { status: 'error' } : {};
    return { toolResult: { toolUseId: callId, content: written.length === 0 ? [{ text: filler }] : written, ...status } };
  }

  #assistantPart(part: AssistantPart): Json[] {
    switch (part.type) {
      case 'text':
      case 'refusal':
        return writeText(part.text);
      case 'reasoning':
        if (part.seal?.origin === 'bedrock')
          return [{ reasoningContent: { reasoningText: { text: part.text, signature: part.seal.data } } }];
        // Thinking without a signature is rejected.
        this.#losses.drop(part.seal === undefined ? 'unsigned_thoughts' : 'foreign_thoughts');
        return [];
      case 'sealed':
        if (part.seal.origin === 'bedrock') return [{ reasoningContent: { redactedContent: part.seal.data } }];
        this.#losses.drop('foreign_thoughts');
        return [];
      case 'tool_call':
        if (part.seal !== undefined) this.#losses.drop('foreign_thoughts');
        return [{ toolUse: { toolUseId: part.id, name: part.name, input: objectOfCall(part) } }];
      case 'hosted_call':
      case 'hosted_result':
        this.#losses.drop('provider_tool_results');
        return [];
    }
  }
}

export const cachePoint = { cachePoint: { type: 'default' } } as const;

function writeText(text: string): Json[] {
  return text === '' ? [] : [{ text }];
}
