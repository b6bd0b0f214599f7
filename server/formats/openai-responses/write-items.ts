// Writes messages as items of a Responses request.
import { createHash } from 'node:crypto';
import { dataUrl, imageType, isFilm } from '../media.ts';
import { type Losses, untranslatable } from '../losses.ts';
import type { AssistantPart, FilePart, ImagePart, Message, TextPart, ToolResultPart, UserPart } from '../parts.ts';
import type { Seal } from '../seal.ts';
import { textOfArguments } from '../text-tools.ts';
import { title } from './title.ts';

type Json = Record<string, unknown>;

interface Reported {
  /** Names of free text tools. */
  textTools: ReadonlySet<string>;
  /** Whether unencrypted thinking of earlier turns is sent. */
  takesPlainThoughts: boolean;
}

/** @throws {AppError} `untranslatable` */
export function writeItems(messages: readonly Message[], { textTools, takesPlainThoughts }: Reported, losses: Losses): Json[] {
  /** Ids of free text calls. */
  const textCalls = new Set<string>();
  return messages.flatMap((message) => {
    if (message.role === 'system') return message.content.length === 0 ? [] : [{ role: 'system', content: joined(message.content) }];
    if (message.name !== undefined) losses.drop('names');
    if (message.role === 'user') return writeUser(message.content, { field: message.field, textCalls });
    for (const part of message.content) if (part.type === 'tool_call' && textTools.has(part.name)) textCalls.add(part.id);
    return writeAssistant(message.content, { textCalls, takesPlainThoughts }, losses);
  });
}

/** Writes a user message. Tool results are separate items and come first. */
function writeUser(parts: readonly UserPart[], { field, textCalls }: { field: string; textCalls: ReadonlySet<string> }): Json[] {
  const items: Json[] = [];
  const rest: Exclude<UserPart, ToolResultPart>[] = [];
  for (const part of parts) {
    if (part.type !== 'tool_result') {
      rest.push(part);
      continue;
    }
    const type = textCalls.has(part.callId) ? 'custom_tool_call_output' : 'function_call_output';
    items.push({ type, call_id: part.callId, output: writeContent(part.content, field) });
  }
  if (rest.length > 0) items.push({ role: 'user', content: writeContent(rest, field) });
  return items;
}

function writeContent(parts: readonly Exclude<UserPart, ToolResultPart>[], field: string): unknown {
  if (parts.length === 0) return '';
  const [first] = parts;
  if (parts.length === 1 && first?.type === 'text') return first.text;
  return parts.map((part) => {
    if (part.type === 'text') return { type: 'input_text', text: part.text };
    if (part.type === 'audio') throw untranslatable(field, title);
    return part.type === 'image' ? writeImage(part, field) : writeFile(part, field);
  });
}

function writeImage({ source, detail = 'auto' }: ImagePart, field: string): Json {
  // A file id is valid only in the account it was uploaded to.
  if (source.kind === 'id') throw untranslatable(field, title);
  const url = source.kind === 'url' ? source.url : dataUrl(imageType(source.data, source.mediaType), source.data);
  return { type: 'input_image', image_url: url, detail };
}

function writeFile({ source, name }: FilePart, field: string): Json {
  if (source.kind === 'text') return { type: 'input_text', text: name === undefined ? source.text : `${name}\n\n${source.text}` };
  if (source.kind === 'id') throw untranslatable(field, title);
  const named = name === undefined ? {} : { filename: name };
  if (source.kind === 'url') return { type: 'input_file', file_url: source.url, ...named };
  if (isFilm(source.mediaType)) throw untranslatable(field, title);
  return { type: 'input_file', filename: name ?? 'document.pdf', file_data: dataUrl(source.mediaType, source.data) };
}

function writeAssistant(
  parts: readonly AssistantPart[],
  { textCalls, takesPlainThoughts }: { textCalls: ReadonlySet<string>; takesPlainThoughts: boolean },
  losses: Losses,
): Json[] {
  const items: Json[] = [];
  let content: Json[] = [];
  const endMessage = () => {
    if (content.length > 0) items.push({ type: 'message', role: 'assistant', content });
    content = [];
  };
  for (const part of parts) {
    if (part.type === 'text') {
      if (part.text !== '') content.push({ type: 'output_text', text: part.text, annotations: [] });
      continue;
    }
    if (part.type === 'refusal') {
      content.push({ type: 'refusal', refusal: part.text });
      continue;
    }
    endMessage();
    if (part.type === 'hosted_call' || part.type === 'hosted_result') {
      // The item of a call contains its result, so results are skipped.
      if (part.origin !== 'openai-responses') losses.drop('provider_tool_results');
      else if (part.type === 'hosted_call') items.push({ ...part.object });
    } else if (part.type === 'tool_call') {
      const { id, name, arguments: written } = part;
      if (textCalls.has(id)) items.push({ type: 'custom_tool_call', call_id: id, name, input: textOfArguments(written) });
      else items.push({ type: 'function_call', call_id: id, name, arguments: written });
      if (part.seal !== undefined) losses.drop('foreign_thoughts');
    } else if (takesPlainThoughts && part.type === 'reasoning' && part.seal === undefined) items.push(writePlainThought(part.text));
    else items.push(...writeThought(part.type === 'reasoning' ? part.text : '', part.seal, losses));
  }
  endMessage();
  return items;
}

/**
 * Writes unencrypted thinking, as models at other hosts than OpenAI's do. The id derives from the text, so that caches
 * recognize the prompt.
 */
function writePlainThought(text: string): Json {
  const id = `rs_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  return { id, type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text }] };
}

function writeThought(text: string, seal: Seal | undefined, losses: Losses): Json[] {
  if (seal?.origin !== 'openai') {
    losses.drop(seal === undefined ? 'unsigned_thoughts' : 'foreign_thoughts');
    return [];
  }
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  return [{ type: 'reasoning', summary, encrypted_content: seal.data }];
}

function joined(parts: readonly TextPart[]): string {
  return parts.map(({ text }) => text).join('\n');
}
