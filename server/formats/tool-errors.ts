// Writes tool errors for formats without an error field: the text of the result states the error.
import type { ChatRequest, Message, ToolResultPart } from './parts.ts';
import type { CarriedFields } from './request-fields.ts';

/** Matches results that state the error already: `Error: …`, `TypeError: …`, `<tool_use_error>…`, `failed to …`. */
const statesError = /^\W{0,8}(?:\w{0,40}error|failed|failure)\b/i;
const beginning = 'Error: ';
const nothingSaid = 'Error: the tool failed without a message.';

/** Returns the request with errors in the texts of results; the same object if nothing failed or the format has a field. */
export function withSpokenErrors(request: ChatRequest, { tool_errors: carried }: CarriedFields): ChatRequest {
  if (carried !== 'in_words' || !request.messages.some(hasFailure)) return request;
  return { ...request, messages: request.messages.map((message) => (hasFailure(message) ? spoken(message) : message)) };
}

function hasFailure(message: Message): message is Extract<Message, { role: 'user' }> {
  return message.role === 'user' && message.content.some((part) => part.type === 'tool_result' && part.isError);
}

function spoken(message: Extract<Message, { role: 'user' }>): Message {
  return { ...message, content: message.content.map((part) => (part.type === 'tool_result' && part.isError ? inWords(part) : part)) };
}

function inWords(result: ToolResultPart): ToolResultPart {
  const { content } = result;
  const first = content.findIndex((part) => part.type === 'text' && part.text.trim() !== '');
  const said = content[first];
  if (said?.type !== 'text')
    return { ...result, content: [{ type: 'text', text: nothingSaid }, ...content.filter(({ type }) => type !== 'text')] };
  if (statesError.test(said.text)) return result;
  return { ...result, content: content.with(first, { ...said, text: `${beginning}${said.text}` }) };
}
