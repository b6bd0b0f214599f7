// Answers who has a key. A whole key is looked up by its hash, like that of a call; an ending by its index. Nothing of what was entered is stored.
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import type { UserToken } from '#shared/user-tokens.ts';
import type { AppContext } from '#server/context.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { enforceLimit } from '#server/http/rate-limit.ts';
import { findByKey } from '#server/tokens/find-by-key.ts';
import { endingLength } from '#server/tokens/key-endings.ts';
import { byOldEnding } from '#server/tokens/old-keys.ts';
import { bareKey, findByReadings, readingsOf } from '#server/tokens/key-readings.ts';
import { readKey } from '../present-token.ts';
import { type OwnedToken, presentAll, visibleOf } from './user-token-store.ts';

/** Last characters that are compared: answers about more of them would reveal a whole key, one character after the other. */
const mostCharacters = 8;
/** Tokens with the same last characters that are compared. */
const mostCompared = 200;
const mostFound = 50;
/** A search is no way to guess keys. */
const limit = { count: 120, windowSeconds: 600 };

export interface FoundKeys {
  items: UserToken[];
  /** True if what was entered is no whole key, and was compared with endings. */
  searches_ending: boolean;
  /** Tokens of which a replaced secret was found, not the current key. */
  replaced: number[];
}

/** @throws {AppError} `invalid_field` for fewer than four characters, `rate_limited` */
export async function findKey(context: AppContext, actor: UserRecord, entered: string): Promise<FoundKeys> {
  await enforceLimit(context, { key: `find-key:${actor.id}`, ...limit });
  const text = entered.trim().replace(/^(?:…|\.{3}|\*+)/, '');
  const whole = await findByReadings(readingsOf(bareKey(text)), (reading) => findByKey(context, reading));
  if (whole !== null) {
    const shown = await visibleOf(context, [whole.token], actor);
    return found(context, shown, { searches_ending: false, isReplaced: () => whole.secretUntil !== -1 });
  }
  if (text.length < endingLength) throw invalidField('key', fieldRules.invalid);
  const current = await findByEnding(context, text);
  const known = new Set(current.map(({ id }) => id));
  const replaced = (await findByOldEnding(context, text)).filter(({ id }) => !known.has(id));
  const visible = await visibleOf(context, [...current, ...replaced], actor);
  return found(context, visible.slice(0, mostFound), { searches_ending: true, isReplaced: (id) => !known.has(id) });
}

async function found(
  context: AppContext,
  shown: readonly OwnedToken[],
  { searches_ending, isReplaced }: { searches_ending: boolean; isReplaced: (id: number) => boolean },
): Promise<FoundKeys> {
  const items = await presentAll(context, shown);
  return { items, searches_ending, replaced: items.map(({ id }) => id).filter(isReplaced) };
}

/** Of replaced secrets no more than the last characters is known, so those before them are not compared. Newest first. */
async function findByOldEnding({ db }: AppContext, text: string): Promise<TokenRecord[]> {
  const filters = byOldEnding(text.slice(-endingLength));
  const rows = await Promise.all(
    filters.map((filter) => db.collection('tokens').find(filter, { sort: [['id', -1]], limit: mostCompared })),
  );
  return [...new Map(rows.flat().map((token) => [token.id, token])).values()].toSorted((a, b) => b.id - a.id);
}

/** Newest first. */
async function findByEnding(context: AppContext, text: string): Promise<TokenRecord[]> {
  const candidates = await context.db
    .collection('tokens')
    .find({ ending: text.slice(-endingLength) }, { sort: [['id', -1]], limit: mostCompared });
  if (text.length === endingLength) return candidates;
  const ending = text.slice(-mostCharacters);
  // Of a key that is known by its SHA-256, no more than its ending can be compared.
  return candidates.filter((token) => (token.key_ending ?? `sk-${readKey(context, token)}`).endsWith(ending));
}
