// Files of the caller's own that a prompt names: they lie behind one key of one channel, whose provider knows them by other names.
import type { AppContext } from '#server/context.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import { withFileNames } from '#server/dialects/account-objects.ts';
import { addStoredFile } from '#server/dialects/media-tokens.ts';
import type { RelayEndpoint } from '#server/relay/endpoints.ts';
import { keyBehind } from '#server/relay/own-objects.ts';

export interface NamedFiles {
  /** The only channel where they are. */
  channel: number;
  /** As the caller knows them, and as the provider does. */
  names: ReadonlyMap<string, string>;
  records: readonly FileRecord[];
}

type Looking = Pick<AppContext, 'db' | 'channels' | 'secrets' | 'now'>;

const nameOfFile = /^file-[0-9a-zA-Z]{24}$/;
/** More than any provider takes in one prompt. */
const mostNames = 100;

/** Null: it names none that this user has. Others stay what they are, and are refused as such. @param text of the body */
export function filesNamed(
  context: Looking,
  { userId, text, body }: { userId: number; text: string; body: Readonly<Record<string, unknown>> },
): Promise<NamedFiles | null> | null {
  // Most calls name none, and are not walked through.
  if (!text.includes('"file_id"')) return null;
  const told = new Set<string>();
  withFileNames(body, (name) => {
    if (nameOfFile.test(name) && told.size < mostNames) told.add(name);
    return name;
  });
  return told.size === 0 ? null : find(context, userId, [...told]);
}

async function find({ db, channels, secrets, now }: Looking, userId: number, told: readonly string[]): Promise<NamedFiles | null> {
  const usable = { user_id: userId, state: 'stored' as const, expires_at: { gt: Math.floor(now() / 1000) } };
  const found = await db.collection('files').find({ id: { in: told }, ...usable });
  const [first] = found;
  const channel = first === undefined ? undefined : channels.get(first.channel_id);
  if (first === undefined || channel === undefined || keyBehind(secrets, channel) !== first.key) return null;
  const records = found.filter((file) => file.channel_id === first.channel_id && file.key === first.key);
  return { channel: channel.id, names: new Map(records.map(({ id, upstream_id }) => [id, upstream_id])), records };
}

/** Of a prompt what its files are worth, too, wherever it is counted. */
export function withFilesCounted(endpoint: RelayEndpoint, { records }: NamedFiles): RelayEndpoint {
  return {
    ...endpoint,
    promptContent(body, model) {
      const prompt = endpoint.promptContent(body, model);
      for (const record of records) addStoredFile(prompt, record);
      return prompt;
    },
  };
}
