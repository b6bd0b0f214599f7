// Words that no prompt may hold (`SensitiveWords`), whatever format it comes in. Whatever counts as prompt is looked at, and what models
// write where `StopOnSensitiveEnabled` says so.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { CallContent } from '#server/relay/admission/call-content.ts';
import { folded, mostEscapedUnits, unescaped } from '#server/relay/admission/folded-text.ts';
import { createWordSearch } from '#server/relay/admission/word-matcher.ts';
import type { WordMatcher, WordSearch } from '#server/relay/admission/word-matcher.ts';
import { OutputWords } from '#server/relay/output-words.ts';

export interface BlockedWords {
  /** False: nothing is looked for. */
  readonly isOn: boolean;
  /** For one response; null: what models write is not looked at. */
  output(): OutputWords | null;
  /** At once for a small body; of a large one piece by piece, in its turn. @throws {AppError} `sensitive_words_detected` */
  check(content: Pick<CallContent, 'isLarge' | 'use'>, texts: readonly string[]): void | Promise<void>;
}

interface Search extends WordSearch {
  words: readonly string[];
  longest: number;
}

/** Characters that are searched at once: a few milliseconds. With longer words it is more. */
const shortestPiece = 64 * 1024;
/** Of a text that are one of a word: a letter and its marks, or one that is escaped. */
const mostUnits = mostEscapedUnits;
/** They stand beside the texts in every prompt, and nobody wrote them. */
const roles = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);
/** A longer text is not looked for among them: V8 hashes and copies all of a text that it has not seen. */
const longestRole = Math.max(...[...roles].map((role) => role.length));

export function createBlockedWords({ settings }: Pick<AppContext, 'settings'>): BlockedWords {
  let search: Search | null = null;
  let revision = 0;

  /** Made again only when the words are others. */
  function current(): Search {
    if (search !== null && revision === settings.revision) return search;
    revision = settings.revision;
    const words = settings.get('SensitiveWords').map(folded);
    if (search === null || !isSame(search.words, words)) {
      const longest = words.reduce((most, word) => Math.max(most, word.length), 0);
      search = { words, longest, ...createWordSearch(words) };
    }
    return search;
  }

  return {
    get isOn() {
      return (
        settings.get('CheckSensitiveEnabled') && settings.get('CheckSensitiveOnPromptEnabled') && settings.get('SensitiveWords').length > 0
      );
    },
    output() {
      const isOn =
        settings.get('StopOnSensitiveEnabled') && settings.get('CheckSensitiveEnabled') && settings.get('SensitiveWords').length > 0;
      return isOn ? new OutputWords(() => current().follow()) : null;
    },
    check(content, texts) {
      const { holds, longest } = current();
      const pieces = piecesOf(texts, longest);
      if (content.isLarge) return checkInTurn(content, pieces, holds);
      for (const piece of pieces) refuseWhere(holds, piece);
    },
  };
}

async function checkInTurn(content: Pick<CallContent, 'use'>, pieces: Iterable<string>, holds: WordMatcher): Promise<void> {
  for (const piece of pieces) await content.use(() => refuseWhere(holds, piece));
}

/** The word itself is told to nobody. @throws {AppError} */
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
