// Writes parts as a chat with a bot: messages of user and bot. A bot has its own instructions.
import { noteMessage, noteSettings, shapeInWords, reportedText } from '../application-losses.ts';
import { FilesToLeave } from '../left-files.ts';
import { Losses, untranslatable } from '../losses.ts';
import type { ChatRequest, Message, UserPart } from '../parts.ts';
import type { WrittenRequest } from '../upstream-dialect.ts';
import { carriedFields } from './format-fields.ts';
import { title } from './title.ts';

type Json = Record<string, unknown>;

/** @throws {AppError} `untranslatable` */
export function writeRequest(request: ChatRequest): WrittenRequest {
  const losses = new Losses(request.clientFields);
  const extras = losses.carry(request.extras, carriedFields, title);
  noteSettings(request, losses, title);
  const { messages, responseFormat, userId, isStream } = request;
  const withoutSystem = messages.filter(({ role }) => role !== 'system');
  // Without other messages, the instructions are the question.
  const reported = withoutSystem.length > 0 ? withoutSystem : messages;
  if (reported === withoutSystem) for (const { role, field } of messages) if (role === 'system') losses.dropNamed(field);
  const left = new FilesToLeave();
  const written = reported.flatMap((message) => writeMessage(message, losses, left));
  const shape = shapeInWords(responseFormat);
  const body = {
    ...extras,
    ...(userId === undefined ? {} : { user_id: userId }),
    // The last message is the question.
    additional_messages: shape === null ? written : [textOf('user', shape), ...written],
    stream: isStream,
  };
  return { body, dropped: losses.names, files: left.all };
}

function writeMessage(message: Message, losses: Losses, left: FilesToLeave): Json[] {
  const { role, field } = message;
  noteMessage(message, losses);
  if (role === 'assistant') {
    const text = joined(message.content.map((part) => reportedText(part, { field, losses, title })));
    return text === '' ? [] : [{ ...textOf('assistant', text), type: 'answer' }];
  }
  const items = message.content
    .map((part) => writeItem(part, { field, losses, left }))
    .filter(({ type, text }) => type !== 'text' || text !== '');
  if (items.length === 0) return [];
  if (items.every(({ type }) => type === 'text')) return [textOf('user', joined(items.map(({ text }) => String(text))))];
  return [{ role: 'user', content: JSON.stringify(items), content_type: 'object_string' }];
}

function textOf(role: 'user' | 'assistant', content: string): Json {
  return { role, content, content_type: 'text' };
}

function joined(texts: readonly (string | null)[]): string {
  return texts.filter((text) => text !== '').join('\n');
}

interface Reporting {
  field: string;
  losses: Losses;
  left: FilesToLeave;
}

/** URLs are downloaded by the provider, bytes are uploaded before. @throws {AppError} `untranslatable` */
function writeItem(part: UserPart, { field, losses, left }: Reporting): Json {
  const text = reportedText(part, { field, losses, title });
  if (text !== null) return { type: 'text', text };
  if (part.type !== 'image' && part.type !== 'file') throw untranslatable(field, title);
  const { source } = part;
  if (source.kind !== 'url' && source.kind !== 'base64') throw untranslatable(field, title);
  if (part.type === 'image' && part.detail !== undefined) losses.drop('image_detail');
  if (source.kind === 'url') return { type: part.type, file_url: source.url };
  const [kind, name] = part.type === 'image' ? (['image', undefined] as const) : (['document', part.name] as const);
  return { type: part.type, file_id: left.add(source, kind, name) };
}
