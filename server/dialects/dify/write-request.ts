// Parts → a question to an application: one text, in which everybody speaks under a heading.
import { noteMessage, noteSettings, shapeInWords, toldText } from '../application-losses.ts';
import { Losses, untranslatable } from '../losses.ts';
import type { AssistantPart, ChatRequest, Message, TextPart, UserPart } from '../parts.ts';
import type { WrittenRequest } from '../upstream-dialect.ts';
import { carriedFields } from './said-fields.ts';
import { title } from './title.ts';

/** @throws {AppError} `untranslatable` */
export function writeRequest(request: ChatRequest): WrittenRequest {
  const losses = new Losses(request.saidFields);
  const extras = losses.carry(request.extras, carriedFields, title);
  noteSettings(request, losses, title);
  const { messages, responseFormat, userId, isStream } = request;
  const files: NamedFile[] = [];
  const told = messages.flatMap((message) => writeMessage(message, losses, files));
  const shape = shapeInWords(responseFormat);
  if (shape !== null) told.push(`SYSTEM: \n${shape}\n`);
  const body = {
    ...extras,
    inputs: {},
    query: told.length === 0 && files.length > 0 ? filler : told.join(''),
    response_mode: isStream ? 'streaming' : 'blocking',
    ...(userId === undefined ? {} : { user: userId }),
    auto_generate_name: false,
    files,
  };
  return { body, dropped: losses.names };
}

/** Something has to be asked, also where there is nothing but a picture. */
const filler = '...';
const headings = { system: 'SYSTEM', user: 'USER', assistant: 'ASSISTANT' } as const;

/** What has an address is fetched there. */
interface NamedFile {
  type: 'image' | 'document';
  transfer_mode: 'remote_url';
  url: string;
}

/** @param files those of all messages; bytes would have to be uploaded before @throws {AppError} `untranslatable` */
function writeMessage(message: Message, losses: Losses, files: NamedFile[]): string[] {
  const { role, content, field } = message;
  noteMessage(message, losses);
  return content.flatMap((part: TextPart | UserPart | AssistantPart) => {
    const text = toldText(part, { field, losses, title });
    if (text === null) {
      if ((part.type !== 'image' && part.type !== 'file') || part.source.kind !== 'url') throw untranslatable(`${field}.content`, title);
      if (part.type === 'image' && part.detail !== undefined) losses.drop('image_detail');
      files.push({ type: part.type === 'image' ? 'image' : 'document', transfer_mode: 'remote_url', url: part.source.url });
      return [];
    }
    return text === '' ? [] : [`${headings[role]}: \n${text}\n`];
  });
}
