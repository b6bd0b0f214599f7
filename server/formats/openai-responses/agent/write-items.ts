// Writes messages as items. Model output and tool results are plain strings; hosted tool calls are omitted.
import { dataUrl, imageType } from '../../media.ts';
import { type Losses, untranslatable } from '../../losses.ts';
import type { AssistantPart, FilePart, Message, TextPart, ToolCallPart, ToolResultPart, UserPart } from '../../parts.ts';
import { title } from './title.ts';

type Json = Record<string, unknown>;

/** @throws {AppError} `untranslatable` */
export function writeItems(messages: readonly Message[], losses: Losses): Json[] {
  /** Tool names by call id. */
  const names = new Map<string, string>();
  return messages.flatMap((message) => {
    if (message.role === 'system') return message.content.length === 0 ? [] : [said('system', joined(message.content))];
    if (message.name !== undefined) losses.drop('names');
    return message.role === 'user'
      ? writeUser(message.content, { field: message.field, names }, losses)
      : writeModel(message.content, names, losses);
  });
}

function said(role: string, content: unknown): Json {
  return { type: 'message', role, content };
}

/** Writes a user message. Tool results are separate items and come first. */
function writeUser(parts: readonly UserPart[], { field, names }: { field: string; names: Map<string, string> }, losses: Losses): Json[] {
  const results = parts.filter((part) => part.type === 'tool_result');
  const rest = parts.filter((part) => part.type !== 'tool_result');
  const items = results.map((result): Json => {
    const name = names.get(result.callId);
    return {
      type: 'function_call_output',
      call_id: result.callId,
      ...(name === undefined ? {} : { name }),
      output: textOfResult(result, field),
    };
  });
  if (rest.length > 0) items.push(said('user', writeContent(rest, field, losses)));
  return items;
}

function textOfResult({ content }: ToolResultPart, field: string): string {
  return content
    .map((part) => {
      if (part.type === 'text') return part.text;
      if (part.type === 'file' && part.source.kind === 'text') return part.source.text;
      throw untranslatable(field, title);
    })
    .join('\n');
}

function writeContent(parts: readonly Exclude<UserPart, ToolResultPart>[], field: string, losses: Losses): unknown {
  const [first] = parts;
  if (parts.length === 1 && first?.type === 'text') return first.text;
  return parts.map((part): Json => {
    if (part.type === 'text') return { type: 'input_text', text: part.text };
    if (part.type === 'file') return writeFile(part, field);
    // A file id is valid only in the account it was uploaded to.
    if (part.type === 'audio' || part.source.kind === 'id') throw untranslatable(field, title);
    if (part.detail !== undefined && part.detail !== 'auto') losses.drop('image_detail');
    const { source } = part;
    const url = source.kind === 'url' ? source.url : dataUrl(imageType(source.data, source.mediaType), source.data);
    return { type: 'input_image', image_url: url };
  });
}

/** https://docs.perplexity.ai/docs/agent-api/file-attachments */
function writeFile({ source, name }: FilePart, field: string): Json {
  if (source.kind === 'text') return { type: 'input_text', text: name === undefined ? source.text : `${name}\n\n${source.text}` };
  if (source.kind === 'id') throw untranslatable(field, title);
  if (source.kind === 'url') return { type: 'input_file', file_url: source.url };
  return { type: 'input_file', filename: name ?? 'document.pdf', file_data: dataUrl(source.mediaType, source.data) };
}

function writeModel(parts: readonly AssistantPart[], names: Map<string, string>, losses: Losses): Json[] {
  const items: Json[] = [];
  let text = '';
  const endMessage = () => {
    if (text !== '') items.push(said('assistant', text));
    text = '';
  };
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'refusal') text += part.text;
    else if (part.type === 'tool_call') {
      endMessage();
      names.set(part.id, part.name);
      items.push(writeCall(part, losses));
    } else if (part.type === 'hosted_call' || part.type === 'hosted_result') losses.drop('provider_tool_results');
    else losses.drop(part.seal === undefined ? 'unsigned_thoughts' : 'foreign_thoughts');
  }
  endMessage();
  return items;
}

/** Writes a call, with its signature if one of Google's models signed it. */
function writeCall({ id, name, arguments: written, seal }: ToolCallPart, losses: Losses): Json {
  if (seal !== undefined && seal.origin !== 'gemini') losses.drop('foreign_thoughts');
  return {
    type: 'function_call',
    call_id: id,
    name,
    arguments: written,
    ...(seal?.origin === 'gemini' ? { thought_signature: seal.data } : {}),
  };
}

function joined(parts: readonly TextPart[]): string {
  return parts.map(({ text }) => text).join('\n');
}
