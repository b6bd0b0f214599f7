// Files and vector stores of the caller that a prompt names. They belong to one key of one channel, whose provider has other ids for them.
import { ofOwner, ownerIn } from '#server/tokens/object-owner.ts';
import type { AppContext } from '#server/context.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import type { VectorStoreRecord } from '#server/db/records/vector-store.ts';
import { namesStores } from '#server/formats/hosted-tools.ts';
import { addStoredFile } from '#server/formats/media-tokens.ts';
import type { PromptContent } from '#server/formats/prompt-content.ts';
import { withFileNames } from '#server/formats/provider-objects.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { AdmittedCall } from '#server/call/admission/admit-call.ts';
import { checkReach } from '#server/call/check-reach.ts';
import { renameObjects } from '#server/call/rename-objects.ts';
import type { CallStage, StageRun } from '#server/call/stages.ts';
import type { CallToSend } from '#server/exchange/exchange.ts';
import { channelBehind } from '#server/exchange/key-behind.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { withoutMark } from '#server/objects/marked-name.ts';
import { createIdRestorer } from '#server/objects/restore-ids.ts';
import { strangerName } from '#server/objects/stranger-name.ts';
import { reaches } from '#server/exchange/keys/channel-keys.ts';

type Services = Pick<AppContext, 'db' | 'channels' | 'secrets' | 'now'>;

const nameOfFile = /^file-[0-9a-zA-Z]{24}$/;
const nameOfStore = /^vs_[0-9a-zA-Z]{24}$/;
/** More than any provider takes in one prompt. */
const mostNames = 100;
/** Files of the caller that a response may name; ids of further ones are replaced as those of strangers. */
const mostFiles = 10_000;

export function filesStage(services: Services): CallStage {
  return {
    name: 'files',
    applies: ({ dialect }) => dialect.namesFiles === true,
    open: (call) => open(services, call),
  };
}

/** Ids that the caller does not have stay, and are refused when the request is written. */
function open(services: Services, call: AdmittedCall): Promise<StageRun | null> | null {
  const { text, body } = call.content;
  // A body without these members is not walked.
  if (!text.includes('"file_id"') && !text.includes('"vector_store_ids"')) return null;
  const named = { prompt: new Set<string>(), others: new Set<string>(), stores: new Set<string>() };
  withFileNames(body, (name, place) => {
    const set = place === 'store' ? named.stores : place === 'said' ? named.others : named.prompt;
    if ((place === 'store' ? nameOfStore : nameOfFile).test(name) && set.size < mostNames) set.add(name);
    return name;
  });
  return named.prompt.size + named.stores.size === 0 ? null : find(services, call, named);
}

interface NamedIds {
  prompt: ReadonlySet<string>;
  /** Ids in earlier responses: they are translated, and do not bind the call to a channel. */
  others: ReadonlySet<string>;
  stores: ReadonlySet<string>;
}

async function find(services: Services, call: AdmittedCall, { prompt, others, stores }: NamedIds): Promise<StageRun | null> {
  const { db, channels, secrets, now } = services;
  const own = ofOwner(ownerIn(call.admission));
  const found = stores.size === 0 ? [] : await db.collection('vector_stores').find({ id: { in: [...stores] }, ...own, state: 'stored' });
  const usable = { ...own, state: 'stored' as const, expires_at: { gt: Math.floor(now() / 1000) } };
  const files = await db.collection('files').find({ id: { in: [...prompt, ...others] }, ...usable });
  const first: FileRecord | VectorStoreRecord | undefined = found[0] ?? files.find(({ id }) => prompt.has(id));
  const channel = first === undefined ? undefined : channelBehind({ channels, secrets }, first.channel_id, first.key);
  if (first === undefined || channel === undefined) return null;
  const isThere = (record: FileRecord | VectorStoreRecord) => record.channel_id === first.channel_id && record.key === first.key;
  const [filesThere, storesThere] = [files.filter(isThere), found.filter((store) => isThere(store) && store.unpaid_since === 0)];
  const upstreamIds = new Map([...filesThere, ...storesThere].map(({ id, upstream_id }) => [id, upstream_id]));
  const records = filesThere.filter(({ id }) => prompt.has(id));
  const searchingTool = storesThere.length === 0 ? undefined : searchingToolOf(call.content.body);
  checkReach(channels, call, { channel: channel.id, id: first.id, field: searchingTool ?? 'file_id' });
  const run = { channel, records, upstreamIds };
  if (searchingTool === undefined) return new NamedFiles(run);
  const all = await db.collection('files').find({ ...own, state: 'stored' }, { sort: [['created_at', -1]], limit: mostFiles });
  const ids = new Map(storesThere.map(({ id, upstream_id }) => [upstream_id, id]));
  for (const file of all) if (isThere(file)) ids.set(file.upstream_id, file.id);
  // Ids that are restored already stay.
  const known = new Set(ids.values());
  const filenames = new Map(all.map(({ id, filename }) => [id, filename]));
  const restore = createIdRestorer({
    idOf: (name) => ids.get(name) ?? (known.has(name) ? name : strangerName(secrets, name)),
    filenameOf: (name) => withoutMark(name, (id) => filenames.get(id)),
  });
  return new SearchedStores(run, searchingTool, restore);
}

/** A conversation may name stores before its tools do. */
function searchingToolOf({ tools }: Readonly<Record<string, unknown>>): string {
  const index = Array.isArray(tools) ? tools.findIndex((tool) => isObject(tool) && namesStores(tool)) : -1;
  return index < 0 ? 'vector_store_ids' : `tools.${index}`;
}

interface FilesAtChannel {
  /** Channel with the key that the files were uploaded with. */
  channel: PreparedChannel;
  /** Files whose contents are a part of the prompt. */
  records: readonly FileRecord[];
  /** Provider's ids of files and stores, by the caller's. */
  upstreamIds: ReadonlyMap<string, string>;
}

class NamedFiles implements StageRun {
  readonly #files: FilesAtChannel;

  constructor(files: FilesAtChannel) {
    this.#files = files;
  }

  fits(channel: PreparedChannel): boolean {
    return reaches(channel, this.#files.channel);
  }

  promptContent(prompt: PromptContent): void {
    for (const record of this.#files.records) addStoredFile(prompt, record);
  }

  request(sending: CallToSend): void {
    renameObjects(sending, this.#files.upstreamIds);
  }
}

/** Responses of a search name files and stores of the provider's account. */
class SearchedStores extends NamedFiles {
  readonly searchingTool: string;
  readonly #restore: (response: Buffer) => Buffer;

  constructor(files: FilesAtChannel, searchingTool: string, restore: (response: Buffer) => Buffer) {
    super(files);
    this.searchingTool = searchingTool;
    this.#restore = restore;
  }

  response(bytes: Buffer): Buffer {
    return this.#restore(bytes);
  }

  override request(sending: CallToSend): void {
    super.request(sending);
    sending.searchingTool = this.searchingTool;
  }
}
