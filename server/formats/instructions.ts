// What a model is told beside the conversation, for formats that have one place for it, before everything else.
import type { Message, TextPart } from './parts.ts';

export type Turn = Exclude<Message, { role: 'system' }>;

/**
 * What is told before anybody speaks, and the turns. What is told later stays where it was told, within a turn of the user: moved to the
 * front it would change the beginning of the prompt, and nothing of what the provider has in its cache would fit any more.
 */
export function splitInstructions(messages: readonly Message[]): { instructions: TextPart[]; turns: Turn[] } {
  const first = messages.findIndex(({ role }) => role !== 'system');
  const end = first < 0 ? messages.length : first;
  return {
    instructions: messages.slice(0, end).flatMap((message) => (message.role === 'system' ? message.content : [])),
    turns: messages.slice(end).map((message) => (message.role === 'system' ? asReminder(message) : message)),
  };
}

/** The form in which Claude's own clients tell older models something in between. */
function asReminder({ content, field }: Extract<Message, { role: 'system' }>): Turn {
  const reported = content.filter(({ text }) => text !== '');
  return {
    role: 'user',
    content: reported.map((part) => ({ ...part, text: `<system-reminder>\n${part.text}\n</system-reminder>` })),
    field,
  };
}
