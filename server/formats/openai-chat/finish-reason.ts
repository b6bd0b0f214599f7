// Finish reasons of this format.
import { isObject, type JsonObject } from '#server/framing/loose-json.ts';
import { chatEndings, failureIn, type ReadEnding, readEnding } from '../finish-reasons.ts';
import type { FinishReason } from '../parts.ts';

/** Reads the end of a choice; null if it continues. Gateways that report every end as `stop` add the model's reason. */
export function readChoiceEnding({ finish_reason: word, native_finish_reason: native }: JsonObject): ReadEnding | null {
  const read = readEnding(chatEndings, word);
  if (read === null || 'failure' in read) return read;
  const failure = failureIn(native);
  if (failure !== null) return { failure };
  const own = read.reason === 'stop' ? readEnding(chatEndings, native) : null;
  return own !== null && 'reason' in own && isReporting(own) ? { reason: own.reason } : read;
}

/** Whether every choice ends plainly (`endsPlainly`) and none has an error: nothing of them needs a second look. */
export function allEndPlainly(choices: unknown): boolean {
  if (!Array.isArray(choices)) return true;
  for (let index = 0; index < choices.length; index += 1) {
    const choice: unknown = choices[index];
    if (isObject(choice) && (choice.error !== undefined || !endsPlainly(choice))) return false;
  }
  return true;
}

/** Whether the choice continues, or ends with a reason of this format and without a native one, as nearly all do. */
export function endsPlainly({ finish_reason: word, native_finish_reason: native }: JsonObject): boolean {
  return (word === undefined || word === null || formatWords.has(word)) && (native === undefined || native === null);
}

/** Whether a native reason is more specific than a normal end. */
function isReporting({ reason, unknown }: Extract<ReadEnding, { reason: FinishReason }>): boolean {
  return unknown === undefined && (reason === 'length' || reason === 'content_filter');
}

const formatWords: ReadonlySet<unknown> = new Set(['stop', 'length', 'tool_calls', 'function_call', 'content_filter']);

/** Translates the reasons of a body or chunk to this format; returns false if nothing changes. */
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

/** Returns the reason in this format; undefined if the choice's is already correct or unknown. */
function translatedReason(choice: JsonObject): string | undefined {
  const read = readChoiceEnding(choice);
  if (read === null || 'failure' in read || read.unknown !== undefined) return undefined;
  const { finish_reason: reported } = choice;
  const word = writeFinishReason(read.reason);
  return reported === word || (reported !== 'stop' && formatWords.has(reported)) ? undefined : word;
}

/** Returns a reason that no table has. */
export function unknownWord(word: unknown): string | undefined {
  const read = readEnding(chatEndings, word);
  return read !== null && 'reason' in read ? read.unknown : undefined;
}

/** Returns an unknown reason of a complete response; undefined if all are known. */
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
