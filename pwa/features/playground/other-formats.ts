// A conversation in other formats than OpenAI's chat: the same questions and parameters. Loaded when one is chosen.
import { claudeReader, type EventReader, geminiReader, responsesReader } from '#pwa/api/chat-event-readers.ts';
import type { ChatFormat } from '#pwa/offline/conversation.ts';
import { type ChatBody, claudeLimit, type Message } from './request-body.ts';

export type OtherFormat = Exclude<ChatFormat, 'openai-chat'>;
type Fields = Record<string, unknown>;

export interface FormatCall {
  /** Below `/pg/`, which the console calls. */
  path: string;
  body: Fields;
}

export const readers: Record<OtherFormat, () => EventReader> = {
  'openai-responses': responsesReader,
  claude: claudeReader,
  gemini: geminiReader,
};

export function callIn(format: OtherFormat, body: ChatBody): FormatCall {
  return writers[format](body);
}

const writers: Record<OtherFormat, (body: ChatBody) => FormatCall> = {
  'openai-responses': (body) => {
    const { model, messages, stream: _stream, stream_options: _options, ...sent } = body;
    const {
      max_tokens: limit,
      reasoning_effort: effort,
      response_format: shape,
      tools,
      ...rest
    } = without(sent, ['presence_penalty', 'frequency_penalty', 'seed', 'stop']);
    return {
      path: 'responses',
      body: {
        model,
        ...named('instructions', systemOf(messages)),
        input: turnsOf(messages).map(({ role, content }) => ({ role, content: partsOf(content, inputParts) })),
        ...named('max_output_tokens', limit),
        ...(effort === undefined ? {} : { reasoning: { effort } }),
        ...(shape === undefined ? {} : { text: { format: shape } }),
        ...(functionsOf(tools).length === 0 ? {} : { tools: functionsOf(tools).map((one) => ({ type: 'function', ...one })) }),
        ...rest,
        // No later call refers to it: each call sends the whole conversation.
        store: false,
        stream: true,
      },
    };
  },
  claude: (body) => {
    const { model, messages, stream: _stream, stream_options: _options, ...sent } = body;
    const {
      max_tokens: limit,
      stop,
      tools,
      ...rest
    } = without(sent, ['presence_penalty', 'frequency_penalty', 'seed', 'response_format', 'reasoning_effort']);
    return {
      path: 'messages',
      body: {
        model,
        max_tokens: limit ?? claudeLimit,
        ...named('system', systemOf(messages)),
        messages: turnsOf(messages).map(({ role, content }) => ({ role, content: partsOf(content, claudeParts) })),
        ...named('stop_sequences', stop),
        ...(functionsOf(tools).length === 0
          ? {}
          : { tools: functionsOf(tools).map(({ parameters, ...one }) => ({ ...one, input_schema: parameters ?? { type: 'object' } })) }),
        ...rest,
        stream: true,
      },
    };
  },
  gemini: (body) => {
    const { model, messages, stream: _stream, stream_options: _options, ...sent } = body;
    const { tools, response_format: shape, ...others } = without(sent, ['reasoning_effort']);
    const settings = Object.entries(geminiNames).flatMap(([name, theirs]) =>
      others[name] === undefined ? [] : [[theirs, others[name]] as const],
    );
    const config = { ...Object.fromEntries(settings), ...(shape === undefined ? {} : { responseMimeType: 'application/json' }) };
    const system = systemOf(messages);
    return {
      path: `v1beta/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`,
      body: {
        ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
        contents: turnsOf(messages).map(({ role, content }) => ({
          role: role === 'assistant' ? 'model' : 'user',
          parts: typeof content === 'string' ? [{ text: content }] : partsOf(content, geminiParts),
        })),
        ...(Object.keys(config).length === 0 ? {} : { generationConfig: config }),
        ...(functionsOf(tools).length === 0 ? {} : { tools: [{ functionDeclarations: functionsOf(tools) }] }),
        ...without(others, Object.keys(geminiNames)),
      },
    };
  },
};

const geminiNames: Readonly<Record<string, string>> = {
  temperature: 'temperature',
  top_p: 'topP',
  max_tokens: 'maxOutputTokens',
  presence_penalty: 'presencePenalty',
  frequency_penalty: 'frequencyPenalty',
  seed: 'seed',
  stop: 'stopSequences',
};

interface PartWords {
  text: (text: string) => Fields;
  /** Of a data URL. */
  picture: (picture: { url: string; type: string; data: string }) => Fields;
  /** Of a document likewise. */
  document: (document: { name: string; url: string; type: string; data: string }) => Fields;
  /** Missing: the format has no place for it. */
  sound?: (sound: { data: string; format: string }) => Fields;
}
const inputParts: PartWords = {
  text: (text) => ({ type: 'input_text', text }),
  picture: ({ url }) => ({ type: 'input_image', image_url: url }),
  document: ({ name, url }) => ({ type: 'input_file', filename: name, file_data: url }),
  sound: (sound) => ({ type: 'input_audio', input_audio: sound }),
};
const claudeParts: PartWords = {
  text: (text) => ({ type: 'text', text }),
  picture: ({ type, data }) => ({ type: 'image', source: { type: 'base64', media_type: type, data } }),
  document: ({ name, type, data }) => ({ type: 'document', source: { type: 'base64', media_type: type, data }, title: name }),
};
const geminiParts: PartWords = {
  text: (text) => ({ text }),
  picture: ({ type, data }) => ({ inlineData: { mimeType: type, data } }),
  document: ({ type, data }) => ({ inlineData: { mimeType: type, data } }),
  sound: ({ data, format }) => ({ inlineData: { mimeType: `audio/${format}`, data } }),
};

function partsOf(content: Message['content'], words: PartWords): string | Fields[] {
  if (typeof content === 'string') return content;
  return content.flatMap((part): Fields[] => {
    switch (part.type) {
      case 'text':
        return [words.text(part.text)];
      case 'image_url':
        return [words.picture(bytesIn(part.image_url.url))];
      case 'file':
        return [words.document({ name: part.file.filename, ...bytesIn(part.file.file_data) })];
      case 'input_audio':
        return words.sound === undefined ? [] : [words.sound(part.input_audio)];
    }
  });
}

/** Of a data URL. */
function bytesIn(url: string): { url: string; type: string; data: string } {
  const [, type = 'image/png', data = ''] = /^data:([^;,]*)[^,]*,(.*)$/s.exec(url) ?? [];
  return { url, type, data };
}

function systemOf(messages: readonly Message[]): string | undefined {
  const first = messages.find(({ role }) => role === 'system')?.content;
  return typeof first === 'string' ? first : undefined;
}

function turnsOf(messages: readonly Message[]): Message[] {
  return messages.filter(({ role }) => role !== 'system');
}

interface FunctionTool {
  name: unknown;
  description?: unknown;
  parameters?: unknown;
}

/** What is no function is a tool of the format's own, which the further fields are for. */
function functionsOf(tools: unknown): FunctionTool[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => {
    const { function: given } = isFields(tool) ? tool : {};
    if (!isFields(given)) return [];
    const { name, description, parameters } = given;
    return [{ name, ...named('description', description), ...named('parameters', parameters) }];
  });
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function named(name: string, value: unknown): Fields {
  return value === undefined ? {} : { [name]: value };
}

function without(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
