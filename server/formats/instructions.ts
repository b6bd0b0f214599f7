// Splits instructions from turns, for formats with a single system prompt.
import type { Message, TextPart } from './parts.ts';

export type Turn = Exclude<Message, { role: 'system' }>;

/**
 * Returns the instructions before the first turn, and the turns. Later instructions stay in place within a user turn: moving them to the
 * front would change the start of the prompt and miss the provider's cache.
 */
export function splitInstructions(messages: readonly Message[]): { instructions: TextPart[]; turns: Turn[] } {
  const first = messages.findIndex(({ role }) => role !== 'system');
  const end = first < 0 ? messages.length : first;
  return {
    instructions: messages.slice(0, end).flatMap((message) => (message.role === 'system' ? message.content : [])),
    turns: messages.slice(end).map((message) => (message.role === 'system' ? asReminder(message) : message)),
  };
}

/** Wraps a later instruction in a reminder, as Claude's clients do for older models. */
function asReminder({ content, field }: Extract<Message, { role: 'system' }>): Turn {
  const reported = content.filter(({ text }) => text !== '');
  return {
    role: 'user',
    content: reported.map((part) => ({ ...part, text: `<system-reminder>\n${part.text}\n</system-reminder>` })),
    field,
  };
}
