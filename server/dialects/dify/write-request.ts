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
  const told = messages.flatMap((message) => writeMessage(message, losses));
  const shape = shapeInWords(responseFormat);
  if (shape !== null) told.push(`SYSTEM: \n${shape}\n`);
  const body = {
    ...extras,
    inputs: {},
    query: told.join(''),
    response_mode: isStream ? 'streaming' : 'blocking',
    ...(userId === undefined ? {} : { user: userId }),
    auto_generate_name: false,
    files: [],
  };
  return { body, dropped: losses.names };
}

const headings = { system: 'SYSTEM', user: 'USER', assistant: 'ASSISTANT' } as const;

function writeMessage(message: Message, losses: Losses): string[] {
  const { role, content, field } = message;
  noteMessage(message, losses);
  return content.flatMap((part: TextPart | UserPart | AssistantPart) => {
    const text = toldText(part, { field, losses, title });
    if (text === null) throw untranslatable(`${field}.content`, title);
    return text === '' ? [] : [`${headings[role]}: \n${text}\n`];
  });
}
