import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/collections.ts';
import { usableGroups } from '#server/settings/usable-groups.ts';

const channelEnabled = 1;

/** The models of all enabled channels in groups that the user may use, sorted, each once. */
export async function usableModels(context: AppContext, user: UserRecord): Promise<string[]> {
  const groups = new Set(Object.keys(usableGroups(context.settings, user.group)));
  const models = new Set<string>();
  for (const channel of await context.db.collection('channels').find({ status: channelEnabled })) {
    if (!list(channel.group).some((group) => groups.has(group))) continue;
    for (const model of list(channel.models)) models.add(model);
  }
  return [...models].sort();
}

function list(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
