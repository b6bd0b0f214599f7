// What a caller may do: by a key, or by a session of the console.
import { parseRange } from '#server/network/addresses.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';

/** A caller who passed. Records are as of the last look; balances in them are not to be used. */
export interface Admission {
  /** Null: the call is made in the console, and its user alone pays for it. */
  readonly token: TokenRecord | null;
  /** What the log calls it. */
  readonly tokenName: string;
  readonly user: UserRecord;
  /** Decides channels, ratio and the log's group. */
  readonly group: string;
  /** Channel that an administrator pinned by the key's suffix. */
  readonly pinnedChannel: number | undefined;
  readonly models: ReadonlySet<string> | null;
  readonly ranges: readonly ReturnType<typeof parseRange>[] | null;
  /** The address that was let in last: a key is mostly used from one. */
  readonly lastAddress: { allowed: string | undefined };
}

/** By a key. */
export interface KeyAdmission extends Admission {
  readonly token: TokenRecord;
  /** Unix seconds until when the secret is accepted that the caller has shown: a newer one has replaced it. -1: it is the current one. */
  readonly secretUntil: number;
}

export function admissionOf(token: TokenRecord, user: UserRecord, secretUntil = -1): KeyAdmission {
  return {
    token,
    secretUntil,
    tokenName: token.name,
    user,
    group: token.group === '' ? user.group : token.group,
    pinnedChannel: undefined,
    models: token.model_limits_enabled ? new Set(splitList(token.model_limits)) : null,
    ranges:
      token.allow_ips.trim() === ''
        ? null
        : token.allow_ips
            .split('\n')
            .map(rangeOf)
            .filter((range) => range !== null),
    lastAddress: { allowed: undefined },
  };
}

/** By a session. No rule of a key holds; the group is the user's own unless the call names another. */
export function sessionAdmission(user: UserRecord, group = user.group): Admission {
  return {
    token: null,
    tokenName: `playground-${group}`,
    user,
    group,
    pinnedChannel: undefined,
    models: null,
    ranges: null,
    lastAddress: { allowed: undefined },
  };
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Null for a line that is not a range: a list of only such lines allows no address. */
function rangeOf(line: string): ReturnType<typeof parseRange> | null {
  const text = line.trim();
  if (text === '') return null;
  try {
    return parseRange(text);
  } catch {
    return null;
  }
}
