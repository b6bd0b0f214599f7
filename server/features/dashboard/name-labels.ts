import type { UsageBy } from '#shared/dashboard.ts';
import type { AppContext } from '#server/context.ts';

/** What is shown for names that are ids, or that begin with one. What is gone has its id. */
export async function nameLabels(
  { db }: Pick<AppContext, 'db'>,
  by: UsageBy,
  userId: number | undefined,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (by === 'channel') {
    const found = await db.collection('channels').find({ id: { in: names.map(Number) } });
    const channelNames = new Map(found.map((channel) => [channel.id, channel.name]));
    return new Map(names.map((name) => [name, `#${name} ${channelNames.get(Number(name)) ?? ''}`.trim()]));
  }
  if (by === 'model' || (by === 'token' && userId !== undefined)) return new Map();
  const ids = [...new Set(names.map((name) => Number(name.split(':', 1)[0])))];
  const users = await db.collection('users').find({ id: { in: ids } });
  const usernames = new Map(users.map((user) => [user.id, user.username]));
  return new Map(
    names.map((name) => {
      const [id = ''] = name.split(':', 1);
      const username = usernames.get(Number(id)) ?? `#${id}`;
      return [name, by === 'user' ? username : `${username} / ${name.slice(id.length + 1)}`];
    }),
  );
}
