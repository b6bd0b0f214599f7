// Secrets that a renewed token had before its current one. Each has a slot of the record, because an indexed field holds one value.
import { mostOldKeys } from '#shared/tokens.ts';
import type { Filter } from '#server/db/collection.ts';
import type { Change } from '#server/db/edit-record.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { anySha256Hash } from './imported-keys.ts';

export interface OldKey {
  hash: string;
  /** Unix seconds until when the secret is accepted. */
  until: number;
  /** Last characters; undefined of secrets that an earlier version replaced, and of moved ones. */
  ending?: string | undefined;
}

/** Field names of the slots, the latest secret first. */
const slots = [
  ['old_key_hash', 'old_key_until', 'old_key_ending'],
  ['old_key_hash_2', 'old_key_until_2', 'old_key_ending_2'],
  ['old_key_hash_3', 'old_key_until_3', 'old_key_ending_3'],
  ['old_key_hash_4', 'old_key_until_4', 'old_key_ending_4'],
  ['old_key_hash_5', 'old_key_until_5', 'old_key_ending_5'],
] as const;

/** Filters that find the token of an old secret: one for the latest, and those for the secrets before it. */
export function byOldKey(hash: string | typeof anySha256Hash): readonly [Filter<TokenRecord>, ...Filter<TokenRecord>[]] {
  return [{ old_key_hash: hash }, { old_key_hash_2: hash }, { old_key_hash_3: hash }, { old_key_hash_4: hash }, { old_key_hash_5: hash }];
}

/** Filters that find the tokens of old secrets with these last characters. */
export function byOldEnding(ending: string): readonly Filter<TokenRecord>[] {
  return [
    { old_key_ending: ending },
    { old_key_ending_2: ending },
    { old_key_ending_3: ending },
    { old_key_ending_4: ending },
    { old_key_ending_5: ending },
  ];
}

/** Returns the old secrets of a token, the latest first, ended ones included. */
export function oldKeysOf(token: TokenRecord): readonly OldKey[] {
  return slots.flatMap(([hash, until, ending]) => {
    const stored = token[hash];
    return stored === undefined ? [] : [{ hash: stored, until: token[until] ?? 0, ending: token[ending] }];
  });
}

/** Returns the secrets that stay after a renewal. Beyond the bound ended ones go first, then the one replaced the longest ago. */
export function withReplaced(keys: readonly OldKey[], replaced: OldKey, now: number): readonly OldKey[] {
  const stored = [replaced, ...keys];
  while (stored.length > mostOldKeys) {
    const ended = stored.findLastIndex(({ until }) => until <= now);
    stored.splice(ended > 0 ? ended : -1, 1);
  }
  return stored;
}

/** Returns the change that stores these secrets, the latest first. */
export function storedOldKeys(keys: readonly OldKey[]): Change<TokenRecord> {
  const set: Partial<TokenRecord> = {};
  const unset: (typeof slots)[number][number][] = [];
  for (const [index, [hash, until, ending]] of slots.entries()) {
    const key = keys[index];
    if (key === undefined) unset.push(hash, until, ending);
    else {
      set[hash] = key.hash;
      set[until] = key.until;
      if (key.ending === undefined || key.ending === '') unset.push(ending);
      else set[ending] = key.ending;
    }
  }
  return { set, unset };
}
