// Fingerprints a conversation by its start, which later turns repeat: system prompt and first user message. Read loosely and
// up to a fixed length.
import { isObject } from '#server/framing/loose-json.ts';

export interface ConversationBeginning {
  /** Fingerprint text, bounded. */
  text: string;
  /** First user message, bounded and contained in `text`. */
  said: string;
  /** Characters before the first user message, as far as they were read. */
  reported: number;
  /** Number of items so far. */
  turns: number;
  hasTools: boolean;
}

interface Requested {
  /** System prompt outside the turns. */
  system?: unknown;
  /** List of turns with roles, or a single prompt text. */
  turns: unknown;
  tools?: unknown;
}

/** Maximum characters read of one text, and of all texts of the system prompt or of the first user message. */
const longestText = 400;
const longestWhole = 1600;
const mostParts = 32;

export function beginningOf({ system, turns, tools }: Requested): ConversationBeginning {
  const before: Beginning = { text: '', characters: 0 };
  const said: Beginning = { text: '', characters: 0 };
  if (system !== undefined) addTo(before, system);
  const items: readonly unknown[] = Array.isArray(turns) ? turns : [turns];
  for (let index = 0; index < items.length && index < mostParts; index += 1) {
    const item = items[index];
    const isSaid = !isObject(item) || item.role === 'user';
    addTo(isSaid ? said : before, item);
    if (isSaid) break;
  }
  const text = `${before.text}${said.text}`;
  return { text, said: said.text, reported: before.characters, turns: items.length, hasTools: Array.isArray(tools) && tools.length > 0 };
}

interface Beginning {
  text: string;
  characters: number;
}

function addTo(beginning: Beginning, given: unknown): void {
  if (beginning.text.length >= longestWhole) return;
  let value = given;
  while (isObject(value)) value = value.text ?? value.content ?? value.parts;
  // The length distinguishes texts with equal starts.
  if (typeof value === 'string') {
    beginning.text += `${value.slice(0, longestText)}\n${value.length}\n`;
    beginning.characters += value.length;
  } else if (Array.isArray(value)) for (const part of value.slice(0, mostParts)) addTo(beginning, part);
}
