// What is sent for a question: the conversation so far as one model has it, and the parameters that are set.
import { z } from 'zod/mini';
import type { AttachedFile, ChatFormat, ChatSettings, Conversation, Turn } from '#pwa/offline/conversation.ts';

export type ChatBody = Record<string, unknown> & { model: string; messages: Message[] };

export interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string | MessagePart[];
}
type MessagePart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'file'; file: { filename: string; file_data: string } }
  | { type: 'input_audio'; input_audio: { data: string; format: 'wav' | 'mp3' } };

/** Claude's format wants a limit in each call. https://docs.claude.com/en/api/messages */
export const claudeLimit = 4096;

/** Parameters that a format has no place for: they are not shown then, and not sent. */
export const lacking: Readonly<Record<ChatFormat, ReadonlySet<keyof ChatSettings>>> = {
  'openai-chat': new Set(),
  'openai-responses': new Set(['presence_penalty', 'frequency_penalty', 'seed', 'stop']),
  claude: new Set(['presence_penalty', 'frequency_penalty', 'seed', 'json', 'reasoning_effort']),
  gemini: new Set(['reasoning_effort']),
};

export const emptySettings: ChatSettings = {
  group: '',
  system: '',
  temperature: null,
  top_p: null,
  max_tokens: null,
  presence_penalty: null,
  frequency_penalty: null,
  seed: null,
  stop: [],
  reasoning_effort: '',
  json: false,
  tools: '',
  extra: '',
};

/** The body of the call that answers that turn in that column. */
export function chatBody({ settings, turns, models }: Conversation, turnIndex: number, column: number): ChatBody {
  const question = turns[turnIndex];
  const system: Message[] = settings.system.trim() === '' ? [] : [{ role: 'system', content: settings.system }];
  const before = turns.slice(0, turnIndex).flatMap((turn) => exchanged(turn, column));
  const messages = [...system, ...before, ...(question === undefined ? [] : [questionOf(question)])];
  return {
    ...sentSettings(settings),
    ...objectOf(settings.extra),
    model: models[column] ?? '',
    messages,
    stream: true,
    stream_options: { include_usage: true },
    ...(settings.group === '' ? {} : { group: settings.group }),
  };
}

/** Of the parameters, those that are set. */
function sentSettings(settings: ChatSettings): Record<string, unknown> {
  const { temperature, top_p, max_tokens, presence_penalty, frequency_penalty, seed } = settings;
  const numbers = { temperature, top_p, max_tokens, presence_penalty, frequency_penalty, seed };
  const tools = listOf(settings.tools);
  return {
    ...Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== null)),
    ...(settings.stop.length === 0 ? {} : { stop: settings.stop }),
    ...(settings.reasoning_effort === '' ? {} : { reasoning_effort: settings.reasoning_effort }),
    ...(settings.json ? { response_format: { type: 'json_object' } } : {}),
    ...(tools === undefined || tools.length === 0 ? {} : { tools }),
  };
}

/** How many parameters are set; the group and the system prompt count too. */
export function countSet(settings: ChatSettings): number {
  const extra = objectOf(settings.extra) ?? {};
  return (
    Object.keys(sentSettings(settings)).length +
    Object.keys(extra).length +
    (settings.group === '' ? 0 : 1) +
    ((settings.format ?? 'openai-chat') === 'openai-chat' ? 0 : 1) +
    (settings.system.trim() === '' ? 0 : 1)
  );
}

/** The parameter whose text cannot be sent: a question would go without it. */
export function unsendable({ tools, extra }: ChatSettings): 'tools' | 'extra' | undefined {
  if (listOf(tools) === undefined) return 'tools';
  return objectOf(extra) === undefined ? 'extra' : undefined;
}

/** What stands in the field is a list of JSON, or nothing. */
export function listOf(text: string): unknown[] | undefined {
  return text.trim() === '' ? [] : z.array(z.unknown()).safeParse(parse(text)).data;
}

/** The same for an object. */
export function objectOf(text: string): Record<string, unknown> | undefined {
  return text.trim() === '' ? {} : z.record(z.string(), z.unknown()).safeParse(parse(text)).data;
}

/** A question that has no answer is left out: providers want one after the other. */
function exchanged(turn: Turn, column: number): Message[] {
  const answer = turn.answers[column];
  if (answer === undefined || answer === null || answer.text === '') return [];
  return [questionOf(turn), { role: 'assistant', content: answer.text }];
}

function questionOf({ text, pictures, files = [] }: Turn): Message {
  if (pictures.length === 0 && files.length === 0) return { role: 'user', content: text };
  const images = pictures.map(({ url }): MessagePart => ({ type: 'image_url', image_url: { url } }));
  // Documents come first. https://docs.claude.com/en/docs/build-with-claude/prompt-engineering/long-context-tips
  return { role: 'user', content: [...files.map(filePart), ...(text === '' ? [] : [{ type: 'text' as const, text }]), ...images] };
}

/** https://platform.openai.com/docs/guides/pdf-files; a text is one for every model. */
function filePart({ name, kind, format = 'wav', content }: AttachedFile): MessagePart {
  if (kind === 'text') return { type: 'text', text: textOfFile({ name, content }) };
  if (kind === 'sound') return { type: 'input_audio', input_audio: { data: content, format } };
  return { type: 'file', file: { filename: name, file_data: `data:application/pdf;base64,${content}` } };
}

function textOfFile({ name, content }: Pick<AttachedFile, 'name' | 'content'>): string {
  return `<file name="${name.replaceAll('"', "'")}">\n${content}\n</file>`;
}

/** What a question says in words, with the texts that go along. */
export function wordsOf({ text, files = [] }: Pick<Turn, 'text' | 'files'>): string {
  return [...files.filter(({ kind }) => kind === 'text').map(textOfFile), text].join('\n');
}

/** Claude's format has no place for sound. */
export function isSoundLost({ settings, turns }: Pick<Conversation, 'settings' | 'turns'>): boolean {
  return settings.format === 'claude' && turns.some(({ files = [] }) => files.some(({ kind }) => kind === 'sound'));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
