// Files and vector stores of the caller's own that a prompt names: they lie behind one key of one channel, whose provider knows them by other names.
import type { AppContext } from '#server/context.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import type { VectorStoreRecord } from '#server/db/records/vector-store.ts';
import { withFileNames } from '#server/formats/provider-objects.ts';
import { namesStores } from '#server/formats/hosted-tools.ts';
import { addStoredFile } from '#server/formats/media-tokens.ts';
import { addMediaTokens } from '#server/formats/prompt-content.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { RelayEndpoint } from '#server/call/endpoints.ts';
import { withoutMark } from '#server/call/marked-name.ts';
import { keyBehind } from '#server/exchange/key-behind.ts';
import { createIdRestorer } from '#server/call/restore-ids.ts';

export interface NamedFiles {
  /** The only channel where they are. */
  channel: number;
  /** Decides which channel that is. */
  first: string;
  /** As the caller knows them, and as the provider does. */
  names: ReadonlyMap<string, string>;
  /** Whose contents are a part of the prompt. */
  records: readonly FileRecord[];
  /** Of what else is a part of it. Missing: there is nothing. */
  tokens?: number;
  /** The field that names them. Missing: `searchingTool`, or that of files. */
  field?: string;
  /** The first tool that searches in stores, as a path. Missing: none is named. */
  searchingTool?: string;
  /** An answer of the provider's as its caller reads it. Missing: it names nothing of the kind. */
  report?: (answer: Buffer) => Buffer;
}

type Looking = Pick<AppContext, 'db' | 'channels' | 'secrets' | 'now'>;

const nameOfFile = /^file-[0-9a-zA-Z]{24}$/;
const nameOfStore = /^vs_[0-9a-zA-Z]{24}$/;
/** More than any provider takes in one prompt. */
const mostNames = 100;
/** Of a user's, that answers may name; more of them are told by names that nobody can ask for. */
const mostFiles = 10_000;

/** Null: it names none that this user has. Others stay what they are, and are refused as such. @param text of the body */
export function filesNamed(
  context: Looking,
  { userId, text, body }: { userId: number; text: string; body: Readonly<Record<string, unknown>> },
): Promise<NamedFiles | null> | null {
  // Most calls name none, and are not walked through.
  if (!text.includes('"file_id"') && !text.includes('"vector_store_ids"')) return null;
  const reported = { prompt: new Set<string>(), others: new Set<string>(), stores: new Set<string>() };
  withFileNames(body, (name, place) => {
    const set = place === 'store' ? reported.stores : place === 'said' ? reported.others : reported.prompt;
    if ((place === 'store' ? nameOfStore : nameOfFile).test(name) && set.size < mostNames) set.add(name);
    return name;
  });
  if (reported.prompt.size + reported.stores.size === 0) return null;
  return find(context, userId, { ...reported, searchingTool: searchingToolOf(body) });
}

/** Tools may come along with a later turn. */
function searchingToolOf({ tools }: Readonly<Record<string, unknown>>): string {
  const index = Array.isArray(tools) ? tools.findIndex((tool) => isObject(tool) && namesStores(tool)) : -1;
  return index < 0 ? 'vector_store_ids' : `tools.${index}`;
}

interface ReportedNames {
  prompt: ReadonlySet<string>;
  /** What earlier answers have said: it goes along, and binds the call to nothing. */
  others: ReadonlySet<string>;
  stores: ReadonlySet<string>;
  searchingTool: string;
}

async function find(context: Looking, userId: number, reported: ReportedNames): Promise<NamedFiles | null> {
  const { prompt, others, stores, searchingTool } = reported;
  const { db, channels, secrets, now } = context;
  const usable = { user_id: userId, state: 'stored' as const, expires_at: { gt: Math.floor(now() / 1000) } };
  const found =
    stores.size === 0 ? [] : await db.collection('vector_stores').find({ id: { in: [...stores] }, user_id: userId, state: 'stored' });
  const files = await db.collection('files').find({ id: { in: [...prompt, ...others] }, ...usable });
  const first: FileRecord | VectorStoreRecord | undefined = found[0] ?? files.find(({ id }) => prompt.has(id));
  const channel = first === undefined ? undefined : channels.get(first.channel_id);
  if (first === undefined || channel === undefined || keyBehind(secrets, channel) !== first.key) return null;
  const isThere = (record: FileRecord | VectorStoreRecord) => record.channel_id === first.channel_id && record.key === first.key;
  const [filesThere, storesThere] = [files.filter(isThere), found.filter((store) => isThere(store) && store.unpaid_since === 0)];
  const names = new Map([...filesThere, ...storesThere].map(({ id, upstream_id }) => [id, upstream_id]));
  const records = filesThere.filter(({ id }) => prompt.has(id));
  if (storesThere.length === 0) return { channel: channel.id, first: first.id, names, records };
  const all = await db.collection('files').find({ user_id: userId, state: 'stored' }, { sort: [['created_at', -1]], limit: mostFiles });
  const ours = new Map(storesThere.map(({ id, upstream_id }) => [upstream_id, id]));
  for (const file of all) if (isThere(file)) ours.set(file.upstream_id, file.id);
  // What has been told already stays.
  const known = new Set(ours.values());
  const called = new Map(all.map(({ id, filename }) => [id, filename]));
  const report = createIdRestorer({
    idOf: (name) => ours.get(name) ?? (known.has(name) ? name : strangerName(secrets, name)),
    filenameOf: (name) => withoutMark(name, (id) => called.get(id)),
  });
  return { channel: channel.id, first: first.id, names, records, searchingTool, report };
}

/** What a caller is told of a name that nobody here has: the provider's own is nobody's business. */
export function strangerName({ hash }: Looking['secrets'], name: string): string {
  const [kind = ''] = /^[a-z]{1,12}[-_]/.exec(name) ?? [];
  return `${kind}${hash(`told of ${name}`).replace(/[-_]/g, 'x').slice(0, 24)}`;
}

/** Of a prompt what its files are worth, too, wherever it is counted. */
export function withFilesCounted(endpoint: RelayEndpoint, { records, tokens = 0 }: NamedFiles): RelayEndpoint {
  return {
    ...endpoint,
    promptContent(body, model, isLarge) {
      const prompt = endpoint.promptContent(body, model, isLarge);
      for (const record of records) addStoredFile(prompt, record);
      if (tokens > 0) addMediaTokens(prompt, tokens);
      return prompt;
    },
  };
}
