// Writes parts as a query to a document library: one text, with a heading per role for longer conversations.
import { noteMessage, noteSettings, shapeInWords, reportedText } from '../application-losses.ts';
import { Losses, untranslatable } from '../losses.ts';
import type { AssistantPart, ChatRequest, Message, TextPart, UserPart } from '../parts.ts';
import type { WriteOptions, WrittenRequest } from '../upstream-dialect.ts';
import { carriedFields } from './format-fields.ts';
import { title } from './title.ts';

/** @throws {AppError} `untranslatable` */
export function writeRequest(request: ChatRequest, { upstreamModel: model }: WriteOptions): WrittenRequest {
  const losses = new Losses(request.clientFields);
  const extras = losses.carry(request.extras, carriedFields, title);
  noteSettings(request, losses, title);
  if (request.userId !== undefined) losses.drop('user_id');
  const reported = request.messages.flatMap((message) => writeMessage(message, losses));
  const shape = shapeInWords(request.responseFormat);
  const all = shape === null ? reported : [{ role: 'system' as const, text: shape }, ...reported];
  const [only, ...others] = all;
  const query =
    others.length === 0 && only?.role === 'user' ? only.text : all.map(({ role, text }) => `${headings[role]}: ${text}`).join('\n');
  return { body: { ...extras, model, query, stream: request.isStream }, dropped: losses.names };
}

const headings = { system: 'SYSTEM', user: 'USER', assistant: 'ASSISTANT' } as const;

function writeMessage(message: Message, losses: Losses): { role: Message['role']; text: string }[] {
  const { role, content, field } = message;
  noteMessage(message, losses);
  const texts = content.map((part: TextPart | UserPart | AssistantPart) => {
    const text = reportedText(part, { field, losses, title });
    if (text === null) throw untranslatable(field, title);
    return text;
  });
  const text = texts.filter((one) => one !== '').join('\n');
  return text === '' ? [] : [{ role, text }];
}
