// Writes messages of this format.
import { type Losses, untranslatable } from '../losses.ts';
import { dataUrl, imageType, namedText } from '../media.ts';
import type { AssistantPart, ImagePart, Message, ToolResultPart, UserPart } from '../parts.ts';
import { thinks } from './models.ts';
import { title } from './title.ts';

type Json = Record<string, unknown>;

interface MessageOptions {
  losses: Losses;
  model: string;
}

/** @throws {AppError} `untranslatable` */
export function writeMessages(messages: readonly Message[], options: MessageOptions): Json[] {
  return messages.flatMap((message): Json[] => {
    const { losses } = options;
    if (message.content.some((part) => 'cache' in part && part.cache !== undefined)) losses.drop('cache_hints');
    if (message.role === 'system') return message.content.length === 0 ? [] : [{ role: 'system', content: joined(message.content) }];
    if (message.name !== undefined) losses.drop('names');
    return message.role === 'user' ? writeUser(message.content, message.field) : writeAssistant(message.content, options);
  });
}

/** Tool results are separate messages and come first; their images follow in the user message. */
function writeUser(content: readonly UserPart[], field: string): Json[] {
  const messages: Json[] = [];
  const blocks: Json[] = [];
  for (const part of content) {
    if (part.type !== 'tool_result') {
      blocks.push(writeBlock(part, field));
      continue;
    }
    messages.push({ role: 'tool', tool_call_id: part.callId, content: joined(part.content.filter((inner) => inner.type === 'text')) });
    for (const inner of part.content) if (inner.type !== 'text') blocks.push(writeBlock(inner, field));
  }
  if (blocks.length === 0) return messages;
  const [first] = blocks;
  return [...messages, { role: 'user', content: blocks.length === 1 && first?.['type'] === 'text' ? first['text'] : blocks }];
}

function writeBlock(part: Exclude<UserPart, ToolResultPart>, field: string): Json {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'image') return writeImage(part, field);
  const text = part.type === 'file' ? namedText(part) : null;
  if (text === null) throw untranslatable(field, title);
  return { type: 'text', text };
}

function writeImage({ source, detail }: ImagePart, field: string): Json {
  if (source.kind === 'id') throw untranslatable(field, title);
  const url = source.kind === 'url' ? source.url : dataUrl(imageType(source.data, source.mediaType), source.data);
  return { type: 'image_url', image_url: { url, ...(detail === undefined ? {} : { detail }) } };
}

function writeAssistant(parts: readonly AssistantPart[], { losses, model }: MessageOptions): Json[] {
  const texts: string[] = [];
  const thoughts: string[] = [];
  const calls: Json[] = [];
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'refusal') texts.push(part.text);
    else if (part.type === 'tool_call') {
      if (part.seal !== undefined) losses.drop('foreign_thoughts');
      calls.push({
        id: part.id,
        type: 'function',
        function: { name: part.name, arguments: part.arguments === '' ? '{}' : part.arguments },
      });
    } else if (part.type === 'hosted_call' || part.type === 'hosted_result') losses.drop('provider_tool_results');
    // Signed thinking is another model's; some callers send an empty signature instead of none.
    else if (part.type === 'reasoning' && (part.seal === undefined || part.seal.data === '')) thoughts.push(part.text);
    else losses.drop('foreign_thoughts');
  }
  const isStored = thoughts.length > 0 && thinks(model);
  const isPlan = thoughts.length > 0 && !isStored && calls.length > 0;
  if (thoughts.length > 0 && !isStored && !isPlan) losses.drop('unsigned_thoughts');
  if (texts.length + calls.length === 0) return [];
  const text = texts.join('\n');
  const blocks = [{ type: 'thinking', thinking: thoughts.join('\n') }, ...(text === '' ? [] : [{ type: 'text', text }])];
  const message: Json = { role: 'assistant' };
  if (isStored) message['content'] = blocks;
  else if (text !== '' || calls.length === 0) message['content'] = text;
  if (calls.length > 0) message['tool_calls'] = calls;
  if (isPlan) message['tool_plan'] = thoughts.join('\n');
  return [message];
}

function joined(parts: readonly { text: string }[]): string {
  return parts.map(({ text }) => text).join('\n');
}
