// How a conversation begins, as far as it takes to know it again: what the model is told, and what its user said first. Later turns repeat
// it. Read loosely and no further than a bound, however long a prompt is.
import { isObject } from '#server/framing/loose-json.ts';

export interface ConversationBeginning {
  /** Bounded. */
  text: string;
  /** How many items the conversation has so far. */
  turns: number;
  hasTools: boolean;
}

interface Asked {
  /** What stands apart from the turns. */
  system?: unknown;
  /** A list of turns with roles, or the one text that is asked. */
  turns: unknown;
  tools?: unknown;
}

/** Characters of a text that are looked at; of both texts together, and of the parts of one. */
const longestText = 400;
const longestWhole = 1600;
const mostParts = 32;

export function beginningOf({ system, turns, tools }: Asked): ConversationBeginning {
  const reader = new BeginningReader();
  reader.add(system);
  const items: readonly unknown[] = Array.isArray(turns) ? turns : [turns];
  for (const item of items.slice(0, mostParts)) {
    reader.add(item);
    if (!isObject(item) || item.role === 'user') break;
  }
  return { text: reader.text, turns: items.length, hasTools: Array.isArray(tools) && tools.length > 0 };
}

class BeginningReader {
  text = '';

  add(value: unknown): void {
    if (this.text.length >= longestWhole) return;
    // Its length tells apart what begins alike.
    if (typeof value === 'string') this.text += `${value.slice(0, longestText)}\n${value.length}\n`;
    else if (Array.isArray(value)) for (const part of value.slice(0, mostParts)) this.add(part);
    else if (isObject(value)) this.add(value.text ?? value.content ?? value.parts);
  }
}
