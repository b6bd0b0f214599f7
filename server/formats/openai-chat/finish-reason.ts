// Why a choice ended, in this format's words.
import { isObject } from '#server/framing/loose-json.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';
import { chatEndings, failureIn, readEnding } from '../endings.ts';
import type { ReadEnding } from '../endings.ts';
import type { FinishReason } from '../parts.ts';

/** Gateways that call every end of the model behind them an ordinary one give its own word beside theirs. */
export function readChoiceEnding({ finish_reason: word, native_finish_reason: native }: JsonObject): ReadEnding | null {
  const read = readEnding(chatEndings, word);
  if (read === null || 'failure' in read) return read;
  const failure = failureIn(native);
  if (failure !== null) return { failure };
  const own = read.reason === 'stop' ? readEnding(chatEndings, native) : null;
  return own !== null && 'reason' in own && isReporting(own) ? { reason: own.reason } : read;
}

/** The choice goes on, or ends with a word of this format that nothing else contradicts, as nearly all of them. */
export function endsPlainly({ finish_reason: word, native_finish_reason: native }: JsonObject): boolean {
  return (word === undefined || word === null || ownWords.has(word)) && (native === undefined || native === null);
}

/** It says more than that the model is done. */
function isReporting({ reason, unknown }: Extract<ReadEnding, { reason: FinishReason }>): boolean {
  return unknown === undefined && (reason === 'length' || reason === 'content_filter');
}

const ownWords: ReadonlySet<unknown> = new Set(['stop', 'length', 'tool_calls', 'function_call', 'content_filter']);

/** Writes the reasons of a body or a chunk in this format's words; false: they are so already. */
export function translateReasons({ choices }: JsonObject): boolean {
  let isChanged = false;
  const list: readonly unknown[] = Array.isArray(choices) ? choices : [];
  for (const choice of list) {
    if (!isObject(choice) || endsPlainly(choice)) continue;
    const word = translatedReason(choice);
    if (word === undefined) continue;
    choice.finish_reason = word;
    isChanged = true;
  }
  return isChanged;
}

/** The word in which callers of the format know this end; undefined: the choice has it already, or nobody knows what its own means. */
function translatedReason(choice: JsonObject): string | undefined {
  const read = readChoiceEnding(choice);
  if (read === null || 'failure' in read || read.unknown !== undefined) return undefined;
  const { finish_reason: reported } = choice;
  const word = writeFinishReason(read.reason);
  return reported === word || (reported !== 'stop' && ownWords.has(reported)) ? undefined : word;
}

/** The reason itself, where no table has it. */
export function unknownWord(word: unknown): string | undefined {
  const read = readEnding(chatEndings, word);
  return read !== null && 'reason' in read ? read.unknown : undefined;
}

/** The same of a whole response; undefined: all of them are known. */
export function unknownReason({ choices }: JsonObject): string | undefined {
  const list: readonly unknown[] = Array.isArray(choices) ? choices : [];
  for (const choice of list) {
    const word = !isObject(choice) || endsPlainly(choice) ? undefined : unknownWord(choice.finish_reason);
    if (word !== undefined) return word;
  }
  return undefined;
}

const written: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  pause: 'stop',
};

export function writeFinishReason(reason: FinishReason): string {
  return written[reason];
}
