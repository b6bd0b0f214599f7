// Writes parts as the input of a prediction. Models read one text, which contains all turns.
import { noteMessage, noteTools, shapeInWords, reportedText } from '../application-losses.ts';
import { Losses, untranslatable } from '../losses.ts';
import { dataUrl, imageType } from '../media.ts';
import type { AssistantPart, ChatRequest, ImagePart, Message, TextPart, UserPart } from '../parts.ts';
import type { WriteOptions, WrittenRequest } from '../upstream-dialect.ts';
import { type Family, familyOf } from './families.ts';
import { carriedFields } from './format-fields.ts';
import { title } from './title.ts';

type Json = Record<string, unknown>;

/** @throws {AppError} `untranslatable` */
export function writeRequest(request: ChatRequest, { upstreamModel }: WriteOptions): WrittenRequest {
  const losses = new Losses(request.clientFields);
  const extras = losses.carry(request.extras, carriedFields, title);
  noteTools(request, losses, title);
  if (request.userId !== undefined) losses.drop('user_id');
  const family = familyOf(upstreamModel);
  const reported = new Conversation(family, losses);
  for (const message of request.messages) reported.add(message);
  const shape = shapeInWords(request.responseFormat);
  if (shape !== null) reported.instructions.push(shape);
  const body = { ...extras, input: { ...reported.input(), ...settingsOf(request, family, losses) } };
  return { body, dropped: losses.names };
}

/** The limit is renamed for the model in `normalize`. */
function settingsOf({ maxTokens, temperature, topP, topK, stop, clientFields }: ChatRequest, family: Family, losses: Losses): Json {
  if (stop !== undefined && (!family.stop || stop.some((text) => text.includes(','))))
    throw untranslatable(clientFields.stop?.name ?? 'stop', title);
  if (temperature !== undefined && !family.temperature) losses.drop('temperature');
  if (topP !== undefined && !family.topP) losses.drop('top_p');
  if (topK !== undefined && !family.topK) losses.drop('top_k');
  return {
    ...(maxTokens === undefined ? {} : { max_tokens: Math.max(family.leastLimit ?? 1, maxTokens) }),
    ...(temperature === undefined || !family.temperature ? {} : { temperature }),
    ...(topP === undefined || !family.topP ? {} : { top_p: topP }),
    ...(topK === undefined || !family.topK ? {} : { top_k: topK }),
    ...(stop === undefined ? {} : { stop_sequences: stop.join(',') }),
  };
}

const speakers = { user: 'User', assistant: 'Assistant' } as const;

class Conversation {
  readonly instructions: string[] = [];
  readonly #family: Family;
  readonly #losses: Losses;
  readonly #turns: { role: 'user' | 'assistant'; text: string }[] = [];
  readonly #pictures: string[] = [];

  constructor(family: Family, losses: Losses) {
    this.#family = family;
    this.#losses = losses;
  }

  /** @throws {AppError} `untranslatable` */
  add(message: Message): void {
    noteMessage(message, this.#losses);
    const { role, field } = message;
    const texts = message.content.flatMap((part: TextPart | UserPart | AssistantPart) => {
      if (part.type === 'image') this.#picture(part, field);
      const text = part.type === 'image' ? '' : reportedText(part, { field, losses: this.#losses, title });
      if (text === null) throw untranslatable(field, title);
      return text === '' ? [] : [text];
    });
    const text = texts.join('\n');
    if (text === '') return;
    const last = this.#turns.at(-1);
    if (role === 'system') this.instructions.push(text);
    else if (last?.role === role) last.text += `\n${text}`;
    else this.#turns.push({ role, text });
  }

  input(): Json {
    const { system, pictures } = this.#family;
    const reported = this.instructions.join('\n\n');
    const [only] = this.#turns;
    const spoken =
      this.#turns.length === 1 && only?.role === 'user'
        ? only.text
        : [...this.#turns.map(({ role, text }) => `${speakers[role]}: ${text}`), ...(only === undefined ? [] : ['Assistant:'])].join(
            '\n\n',
          );
    const prompt = system === undefined && reported !== '' ? `${reported}\n\n${spoken}` : spoken;
    return {
      prompt,
      ...(system === undefined || reported === '' ? {} : { [system]: reported }),
      ...(pictures === undefined || this.#pictures.length === 0
        ? {}
        : { [pictures.field]: pictures.isList ? this.#pictures : this.#pictures[0] }),
    };
  }

  /** @throws {AppError} `untranslatable` */
  #picture({ source, detail }: ImagePart, field: string): void {
    const { pictures } = this.#family;
    const hasRoom = pictures !== undefined && (pictures.isList || this.#pictures.length === 0);
    if (!hasRoom || source.kind === 'id') throw untranslatable(field, title);
    if (detail !== undefined) this.#losses.drop('image_detail');
    this.#pictures.push(source.kind === 'url' ? source.url : dataUrl(imageType(source.data, source.mediaType), source.data));
  }
}
