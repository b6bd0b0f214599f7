// Writes parts as a query to an application: one text with a heading per role.
import { noteMessage, noteSettings, shapeInWords, reportedText } from '../application-losses.ts';
import { FilesToLeave } from '../left-files.ts';
import { Losses, untranslatable } from '../losses.ts';
import type { AssistantPart, ChatRequest, Message, TextPart, UserPart } from '../parts.ts';
import type { WrittenRequest } from '../upstream-dialect.ts';
import { carriedFields } from './format-fields.ts';
import { title } from './title.ts';

/** @throws {AppError} `untranslatable` */
export function writeRequest(request: ChatRequest): WrittenRequest {
  const losses = new Losses(request.clientFields);
  const extras = losses.carry(request.extras, carriedFields, title);
  noteSettings(request, losses, title);
  const { messages, responseFormat, userId, isStream } = request;
  const files: NamedFile[] = [];
  const left = new FilesToLeave();
  const reported = messages.flatMap((message) => writeMessage(message, losses, { files, left }));
  const shape = shapeInWords(responseFormat);
  if (shape !== null) reported.push(`SYSTEM: \n${shape}\n`);
  const body = {
    ...extras,
    inputs: {},
    query: reported.length === 0 && files.length > 0 ? filler : reported.join(''),
    response_mode: isStream ? 'streaming' : 'blocking',
    ...(userId === undefined ? {} : { user: userId }),
    auto_generate_name: false,
    files,
  };
  return { body, dropped: losses.names, files: left.all };
}

/** The query may not be empty, even with images only. */
const filler = '...';
const headings = { system: 'SYSTEM', user: 'USER', assistant: 'ASSISTANT' } as const;

/** URLs are downloaded by the provider, bytes are uploaded before. https://docs.dify.ai/en/api-reference/chat-messages/send-chat-message */
type NamedFile = { type: 'image' | 'document' } & (
  | { transfer_method: 'remote_url'; url: string }
  | { transfer_method: 'local_file'; upload_file_id: string }
);

interface Files {
  files: NamedFile[];
  left: FilesToLeave;
}

/** @param files of all messages @throws {AppError} `untranslatable` */
function writeMessage(message: Message, losses: Losses, { files, left }: Files): string[] {
  const { role, content, field } = message;
  noteMessage(message, losses);
  return content.flatMap((part: TextPart | UserPart | AssistantPart) => {
    const text = reportedText(part, { field, losses, title });
    if (text === null) {
      if (part.type !== 'image' && part.type !== 'file') throw untranslatable(field, title);
      if (part.type === 'image' && part.detail !== undefined) losses.drop('image_detail');
      const type = part.type === 'image' ? 'image' : 'document';
      const { source } = part;
      if (source.kind === 'url') files.push({ type, transfer_method: 'remote_url', url: source.url });
      else if (source.kind === 'base64') {
        const name = part.type === 'file' ? part.name : undefined;
        files.push({ type, transfer_method: 'local_file', upload_file_id: left.add(source, type, name) });
      } else throw untranslatable(field, title);
      return [];
    }
    return text === '' ? [] : [`${headings[role]}: \n${text}\n`];
  });
}
