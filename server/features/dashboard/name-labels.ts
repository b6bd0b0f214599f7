// Lines of a dashboard by name: which sums a line has, and how it is shown.
import type { NamedSums, UsageBy } from '#shared/dashboard.ts';
import type { AppContext } from '#server/context.ts';
import type { CallSums } from '#server/db/records/call-sums.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import { addSums, emptySums } from '#server/logs/rollup-shape.ts';
import { readTokenUsageName, tokenUsageName } from '#server/logs/usage-keys.ts';

type Context = Pick<AppContext, 'db'>;

export interface UsageLine {
  name: string;
  /** The names of sums that it has: of a token also those that earlier versions summed by what it was called. */
  summedNames: string[];
  sums: CallSums;
}

interface Given {
  by: UsageBy;
  userId: number | undefined;
  totals: ReadonlyMap<string, CallSums>;
}

/** One line for each name; a token's calls are one line, whatever it was called. */
export async function linesOf({ db }: Context, { by, userId, totals }: Given): Promise<UsageLine[]> {
  const lines = new Map<string, UsageLine>();
  const formerly = by === 'token' ? await idsOfNames(db, userId, totals.keys()) : new Map<string, string>();
  for (const [summed, sums] of totals) {
    const name = formerly.get(summed) ?? summed;
    let line = lines.get(name);
    if (line === undefined) lines.set(name, (line = { name, summedNames: [], sums: emptySums() }));
    line.summedNames.push(summed);
    addSums(line.sums, sums);
  }
  return [...lines.values()];
}

/** Names under which an earlier version summed, by the only token of that owner that has such a name now. If none has, they had no token. */
async function idsOfNames(db: Context['db'], ownerId: number | undefined, names: Iterable<string>): Promise<Map<string, string>> {
  const former = [...names].flatMap((name) => {
    const { userId, tokenId, tokenName = '' } = readTokenUsageName(name, ownerId);
    return tokenId === undefined ? [{ name, userId, tokenName }] : [];
  });
  const found = new Map<string, string>();
  if (former.length === 0) return found;
  const owners = [...new Set(former.map(({ userId }) => userId))];
  const byName = new Map<string, TokenRecord | null>();
  const placeOf = (userId: number, tokenName: string) => JSON.stringify([userId, tokenName]);
  for await (const token of db.collection('tokens').each({ user_id: { in: owners } })) {
    const place = placeOf(token.user_id, token.name);
    byName.set(place, byName.has(place) ? null : token);
  }
  for (const { name, userId, tokenName } of former) {
    const token = byName.get(placeOf(userId, tokenName));
    if (token !== null) found.set(name, tokenUsageName({ userId, tokenId: token?.id ?? 0, tokenName }));
  }
  return found;
}

/** What is shown for names that are ids, or that begin with one. What is gone has its id. */
export async function labelled(
  { db }: Context,
  by: UsageBy,
  userId: number | undefined,
  lines: readonly UsageLine[],
): Promise<NamedSums[]> {
  const plain = lines.map(({ name, sums }): NamedSums => ({ name, label: name, sums }));
  if (by === 'model') return plain;
  if (by === 'channel') {
    const found = await db.collection('channels').find({ id: { in: plain.map(({ name }) => Number(name)) } });
    const channelNames = new Map(found.map((channel) => [channel.id, channel.name]));
    return plain.map((one) => ({ ...one, label: `#${one.name} ${channelNames.get(Number(one.name)) ?? ''}`.trim() }));
  }
  if (by === 'token') return labelledTokens(db, userId, plain);
  const usernames = await usernamesOf(
    db,
    plain.map(({ name }) => Number(name)),
  );
  return plain.map((one) => ({ ...one, label: usernames.get(Number(one.name)) ?? `#${one.name}` }));
}

/** By their present names, of everybody's tokens with the owner ahead. */
async function labelledTokens(db: Context['db'], ownerId: number | undefined, plain: readonly NamedSums[]): Promise<NamedSums[]> {
  const read = plain.map((one) => ({ one, ...readTokenUsageName(one.name, ownerId) }));
  const ids = read.flatMap(({ tokenId }) => (tokenId === undefined ? [] : [tokenId]));
  const tokens = new Map((await db.collection('tokens').find({ id: { in: ids } })).map((token) => [token.id, token.name]));
  const usernames =
    ownerId === undefined
      ? await usernamesOf(
          db,
          read.map(({ userId }) => userId),
        )
      : new Map<number, string>();
  const named = read.map(({ one, userId, tokenId, tokenName }) => {
    const name = tokenName ?? tokens.get(tokenId ?? 0) ?? '';
    const username = usernames.get(userId) ?? `#${userId}`;
    const shown = name === '' && tokenId !== undefined && tokenId > 0 ? `#${tokenId}` : name;
    const label = ownerId === undefined ? `${username} / ${shown}` : shown;
    return { one, tokenId, label, token: { name, username } };
  });
  const counts = Map.groupBy(named, ({ label }) => label);
  return named.map(({ one, tokenId, label, token }) => {
    const isAlone = (counts.get(label)?.length ?? 0) < 2 || tokenId === undefined || tokenId === 0;
    return {
      ...one,
      label: isAlone ? label : `${label} #${tokenId}`,
      ...(ownerId === undefined ? { token } : { token: { name: token.name } }),
    };
  });
}

async function usernamesOf(db: Context['db'], ids: readonly number[]): Promise<Map<number, string>> {
  const users = await db.collection('users').find({ id: { in: [...new Set(ids)] } });
  return new Map(users.map((user) => [user.id, user.username]));
}
