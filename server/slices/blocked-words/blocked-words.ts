// Words that no prompt may hold (`SensitiveWords`), whatever format it comes in. Whatever counts as prompt is looked at, and what models
// write where `StopOnSensitiveEnabled` says so.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { folded, mostEscapedUnits, unescaped } from './folded-text.ts';
import { createWordSearch, type WordMatcher, type WordSearch } from './word-matcher.ts';
import { BlockedOutput } from './blocked-output.ts';
import type { RunInTurn, TextGuard } from '#server/call/text-guard.ts';

interface Search extends WordSearch {
  words: readonly string[];
  longest: number;
}

/** Characters that are searched at once: a few milliseconds. With longer words it is more. */
const shortestPiece = 64 * 1024;
/** What a text takes however short it is, in characters of long ones. */
const textLength = 32;
/** Of a text that are one of a word: a letter and its marks, or one that is escaped. */
const mostUnits = mostEscapedUnits;
/** Names of roles are among the texts of every prompt, and no caller wrote them. */
const roles = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);
/** A longer text is not looked for among them: V8 hashes and copies all of a text that it has not seen. */
const longestRole = Math.max(...[...roles].map((role) => role.length));

export function createBlockedWords({ settings }: Pick<AppContext, 'settings'>): TextGuard {
  let search: Search | null = null;
  let revision = 0;

  /** Made again only when the words are others. */
  function current(): Search {
    if (search !== null && revision === settings.revision) return search;
    revision = settings.revision;
    // A word of invisible letters only is no word.
    const words = settings
      .get('SensitiveWords')
      .map(folded)
      .filter((word) => word !== '');
    if (search === null || !isSame(search.words, words)) {
      const longest = words.reduce((most, word) => Math.max(most, word.length), 0);
      search = { words, longest, ...createWordSearch(words) };
    }
    return search;
  }

  function check(texts: readonly string[]): void;
  function check(texts: readonly string[], inTurn: RunInTurn): void | Promise<void>;
  function check(texts: readonly string[], inTurn?: RunInTurn): void | Promise<void> {
    const { holds, longest } = current();
    const pieces = piecesOf(texts, longest);
    if (inTurn !== undefined && lengthOf(texts) > shortestPiece) return checkInTurns(pieces, holds, inTurn);
    for (const piece of pieces) refuseWhere(holds, piece);
  }

  const hasWords = () => settings.get('CheckSensitiveEnabled') && current().words.length > 0;
  return {
    get isOn() {
      return settings.get('CheckSensitiveOnPromptEnabled') && hasWords();
    },
    output: () => (settings.get('StopOnSensitiveEnabled') && hasWords() ? new BlockedOutput(() => current().follow()) : null),
    check,
  };
}

async function checkInTurns(pieces: Iterator<string>, holds: WordMatcher, inTurn: RunInTurn): Promise<void> {
  let isOver = false;
  while (!isOver) isOver = await inTurn(() => checkSome(pieces, holds));
}

/** Of so many texts as are one piece together. True: there are no more. */
function checkSome(pieces: Iterator<string>, holds: WordMatcher): boolean {
  for (let left = shortestPiece; left > 0;) {
    const piece = pieces.next();
    if (piece.done === true) return true;
    refuseWhere(holds, piece.value);
    left -= piece.value.length + textLength;
  }
  return false;
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length + textLength, 0);
}

/** The error does not name the word. @throws {AppError} */
function refuseWhere(holds: WordMatcher, piece: string): void {
  const plain = unescaped(piece);
  if (holds(folded(piece)) || (plain !== null && holds(folded(plain)))) throw new AppError('sensitive_words_detected');
}

/** Pieces overlap, so that a word which one of them cuts is whole in the next. */
function* piecesOf(texts: readonly string[], longest: number): Generator<string> {
  const overlap = mostUnits * longest;
  const pieceLength = Math.max(shortestPiece, 2 * overlap);
  const step = pieceLength - overlap;
  for (const text of texts) {
    if (text.length <= longestRole && roles.has(text)) continue;
    if (text.length <= pieceLength) yield text;
    else for (let start = 0; start < text.length; start += step) yield text.slice(start, start + pieceLength);
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word, index) => word === other[index]);
}
