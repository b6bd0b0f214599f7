// What a key lets its caller do.
import { parseRange } from '#server/addresses.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';

/** A key that passed. Records are as of the last look; balances in them are not to be used. */
export interface Admission {
  readonly token: TokenRecord;
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

export function admissionOf(token: TokenRecord, user: UserRecord): Admission {
  return {
    token,
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

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Null for a line that is not a range: a list of only such lines allows nobody. */
function rangeOf(line: string): ReturnType<typeof parseRange> | null {
  const text = line.trim();
  if (text === '') return null;
  try {
    return parseRange(text);
  } catch {
    return null;
  }
}
