// Writes parts as messages of two authors: the user and all others.
import { noteMessage, noteSettings, shapeInWords, reportedText } from '../application-losses.ts';
import { Losses, untranslatable } from '../losses.ts';
import type { AssistantPart, ChatRequest, Message, TextPart, UserPart } from '../parts.ts';
import type { WrittenRequest } from '../upstream-dialect.ts';
import { carriedFields } from './format-fields.ts';
import { title } from './title.ts';

const [requesting, other] = ['0', '1'];

/** @throws {AppError} `untranslatable` */
export function writeRequest({ temperature, topP, topK, ...request }: ChatRequest): WrittenRequest {
  const losses = new Losses(request.clientFields);
  const extras = losses.carry(request.extras, carriedFields, title);
  noteSettings(request, losses, title);
  if (request.userId !== undefined) losses.drop('user_id');
  const shape = shapeInWords(request.responseFormat);
  const messages = request.messages.flatMap((message) => writeMessage(message, losses));
  const body = {
    prompt: { messages: shape === null ? messages : [{ author: other, content: shape }, ...messages] },
    ...(temperature === undefined ? {} : { temperature }),
    candidateCount: 1,
    ...(topP === undefined ? {} : { topP }),
    ...(topK === undefined ? {} : { topK }),
    ...extras,
  };
  return { body, dropped: losses.names };
}

function writeMessage(message: Message, losses: Losses): { author: string; content: string }[] {
  const { role, content, field } = message;
  noteMessage(message, losses);
  const texts = content.map((part: TextPart | UserPart | AssistantPart) => {
    const text = reportedText(part, { field, losses, title });
    if (text === null) throw untranslatable(field, title);
    return text;
  });
  const reported = texts.filter((text) => text !== '').join('\n');
  return reported === '' ? [] : [{ author: role === 'user' ? requesting : other, content: reported }];
}
