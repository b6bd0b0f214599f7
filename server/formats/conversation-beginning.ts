// How a conversation begins, as far as it takes to know it again: what the model is told, and what its user said first. Later turns repeat
// it. Read loosely and no further than a bound, however long a prompt is.
import { isObject } from '#server/framing/loose-json.ts';

export interface ConversationBeginning {
  /** Bounded. */
  text: string;
  /** What the user said first; bounded, and a part of the text. */
  said: string;
  /** Characters of what stands before that, as far as it was looked at. */
  reported: number;
  /** How many items the conversation has so far. */
  turns: number;
  hasTools: boolean;
}

interface Requested {
  /** What stands apart from the turns. */
  system?: unknown;
  /** A list of turns with roles, or the one text that is asked. */
  turns: unknown;
  tools?: unknown;
}

/** Characters of a text that are looked at; of what the model is told and of what its user says, each; and the parts of one. */
const longestText = 400;
const longestWhole = 1600;
const mostParts = 32;

export function beginningOf({ system, turns, tools }: Requested): ConversationBeginning {
  const before = new BeginningReader();
  const said = new BeginningReader();
  before.add(system);
  const items: readonly unknown[] = Array.isArray(turns) ? turns : [turns];
  for (const item of items.slice(0, mostParts)) {
    const isSaid = !isObject(item) || item.role === 'user';
    (isSaid ? said : before).add(item);
    if (isSaid) break;
  }
  const text = `${before.text}${said.text}`;
  return { text, said: said.text, reported: before.characters, turns: items.length, hasTools: Array.isArray(tools) && tools.length > 0 };
}

class BeginningReader {
  text = '';
  characters = 0;

  add(value: unknown): void {
    if (this.text.length >= longestWhole) return;
    // Its length tells apart what begins alike.
    if (typeof value === 'string') {
      this.text += `${value.slice(0, longestText)}\n${value.length}\n`;
      this.characters += value.length;
    } else if (Array.isArray(value)) for (const part of value.slice(0, mostParts)) this.add(part);
    else if (isObject(value)) this.add(value.text ?? value.content ?? value.parts);
  }
}
