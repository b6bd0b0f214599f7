// Bots of Coze in terms of OpenAI's chat: requests are taken strictly and become such, responses are made from such. Pure: the server is
// in `fake-coze.ts`.
import { demand, hasOnly, type Json, type ReadRequest, readStrictly } from './strict-requests.ts';
import { isObject } from './upstream-responses.ts';

const fields = ['bot_id', 'user_id', 'additional_messages', 'stream', 'auto_save_history', 'custom_variables', 'meta_data', 'parameters'];
const messageFields = ['role', 'type', 'content', 'content_type', 'meta_data'];

/** What a request is as a chat completion request, or why it is refused. @param model of the bot @param left ids of files that lie there */
export function chatOf(body: Json, model: string, left: ReadonlySet<string> = new Set()): ReadRequest {
  return readStrictly(() => {
    const { bot_id: bot, user_id: user, additional_messages: reported, stream = false, auto_save_history: isStored = true } = body;
    demand(hasOnly(body, fields), 'unknown field');
    demand(typeof bot === 'string' && bot !== '', 'bot_id is required');
    demand(typeof user === 'string' && user !== '', 'user_id is required');
    demand(typeof stream === 'boolean', 'stream must be a boolean');
    demand(stream || isStored === true, 'a chat that does not stream has to be kept');
    demand(Array.isArray(reported) && reported.length > 0 && reported.length <= 100, 'additional_messages must have 1 to 100 messages');
    const messages = reported.map((message) => readMessage(message, left));
    return { model, messages, ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}) };
  });
}

function readMessage(message: unknown, left: ReadonlySet<string>): Json {
  demand(isObject(message) && hasOnly(message, messageFields), 'a message has an unknown field');
  const { role, type, content, content_type: form } = message;
  demand(role === 'user' || role === 'assistant', 'role must be user or assistant');
  demand(type === undefined || (role === 'user' ? type === 'question' : type === 'answer'), 'type is not that of its role');
  demand(typeof content === 'string' && content !== '', 'content is required');
  demand(form === 'text' || form === 'object_string', 'content_type must be text or object_string');
  if (form === 'text') return { role, content };
  const items: unknown = JSON.parse(content);
  demand(Array.isArray(items) && items.length > 0, 'an object_string is a list');
  return { role, content: items.map((item) => readItem(item, left)) };
}

function readItem(item: unknown, left: ReadonlySet<string>): Json {
  demand(isObject(item), 'an item is no object');
  const { type, text, file_url: url, file_id: id } = item;
  if (type === 'text') {
    demand(typeof text === 'string' && text !== '', 'text is required');
    return { type, text };
  }
  demand(type === 'image' || type === 'file' || type === 'audio', 'the type of an item is not known');
  if (id !== undefined) {
    demand(typeof id === 'string' && left.has(id) && url === undefined, 'the file is not known');
    return { type: 'image_url', image_url: { url: `https://files.example/${id}` } };
  }
  demand(typeof url === 'string' && /^https?:/.test(url), 'a file needs an address');
  return { type: 'image_url', image_url: { url } };
}

function usageOf(usage: unknown): Json {
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = Object(usage);
  return { token_count: total, output_count: output, input_count: input };
}

/** A chat completion as an ended chat. */
export function chatEnded({ id: reported, created, usage }: Json): Json {
  const id = String(reported);
  const counted = usage === undefined ? {} : { usage: usageOf(usage) };
  return {
    id,
    conversation_id: `conv-${id}`,
    bot_id: 'bot-1',
    status: 'completed',
    created_at: created,
    last_error: { code: 0, msg: '' },
    ...counted,
  };
}

/** Its messages. */
export function messagesOf({ id: reported, created, choices }: Json): Json[] {
  const id = String(reported);
  const [choice] = Array.isArray(choices) ? choices : [];
  const { content, reasoning_content: thought } = Object(Object(choice).message);
  const message = { chat_id: id, role: 'assistant', content_type: 'text', created_at: created };
  return [
    { ...message, id: `${id}-v`, type: 'verbose', content: '{"msg_type":"generate_answer_finish"}' },
    { ...message, id: `${id}-a`, type: 'answer', content: content ?? '', ...(thought === undefined ? {} : { reasoning_content: thought }) },
    { ...message, id: `${id}-f`, type: 'follow_up', content: 'And the ebb?' },
  ];
}

/** Chunks of a chat completion become events, each by itself. */
export function cozeEvents(): (chunk: Json) => Json[] {
  let text = '';
  return ({ id: reported, choices, usage }) => {
    const id = String(reported);
    const message = { id: `${id}-a`, chat_id: id, conversation_id: `conv-${id}`, role: 'assistant', type: 'answer', content_type: 'text' };
    const [choice] = Array.isArray(choices) ? choices : [];
    const { content, reasoning_content: thought } = Object(Object(choice).delta);
    // The usage comes last.
    if (isObject(usage)) {
      return [
        { name: 'conversation.message.completed', ...message, content: text },
        { name: 'conversation.message.completed', ...message, id: `${id}-v`, type: 'verbose', content: '{}' },
        { name: 'conversation.chat.completed', id, conversation_id: `conv-${id}`, status: 'completed', usage: usageOf(usage) },
        { name: 'done' },
      ];
    }
    const delta = 'conversation.message.delta';
    if (typeof thought === 'string' && thought !== '') return [{ name: delta, ...message, content: '', reasoning_content: thought }];
    if (typeof content !== 'string' || content === '') return [];
    text += content;
    return [{ name: delta, ...message, content }];
  };
}

/** An event as it is written. */
export function writeCozeEvent({ name, ...data }: Json): string {
  return `event:${String(name)}\ndata:${name === 'done' ? '"[DONE]"' : JSON.stringify(data)}\n\n`;
}
