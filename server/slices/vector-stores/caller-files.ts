// Maps a caller's files in stores between our ids and the provider's, which are valid for one key.
import { isOwned, type ObjectOwner, ofOwner } from '#server/tokens/object-owner.ts';
import type { AppContext } from '#server/context.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import type { VectorStoreRecord } from '#server/db/records/vector-store.ts';
import { fileNotFound, isNameable } from '#server/objects/file-store.ts';
import { badField } from '#server/framing/strict-fields.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { withoutMark } from '#server/objects/marked-name.ts';
import { strangerName } from '#server/objects/stranger-name.ts';

type Looking = Pick<AppContext, 'db' | 'now' | 'secrets'>;
type Place = Pick<VectorStoreRecord, 'channel_id' | 'key'>;

/**
 * In the given order.
 * @throws {AppError} `file_not_found` for files of other users
 */
export async function callerFiles({ db, now }: Looking, owner: ObjectOwner, names: readonly string[]): Promise<FileRecord[]> {
  if (names.length === 0) return [];
  const usable = { ...ofOwner(owner), state: 'stored' as const, expires_at: { gt: Math.floor(now() / 1000) } };
  const found = await db.collection('files').find({ id: { in: [...new Set(names.filter(isNameable))] }, ...usable });
  const byName = new Map(found.map((file) => [file.id, file]));
  return names.map((id) => {
    const file = byName.get(id);
    if (file === undefined) throw fileNotFound(id);
    return file;
  });
}

/** @throws {AppError} `invalid_request` if the files are not at the store's provider account */
export function checkPlace({ channel_id: channel, key }: Place, files: readonly FileRecord[], field: string): void {
  if (files.some((file) => file.channel_id !== channel || file.key !== key)) throw badField(field, apart);
}

const apart = {
  zh: '中的文件不在此向量库所在的账户中，请重新上传',
  en: 'names a file that lies in another account than the vector store: upload it again',
};

export interface ProviderFileIds {
  /** Our id of a provider's file. */
  idOf(name: string): string;
  /** The caller's filename. */
  filenameOf(reported: string): string;
}

export async function providerFileIds(
  { db, secrets }: Looking,
  store: VectorStoreRecord,
  theirs: readonly string[],
): Promise<ProviderFileIds> {
  const { channel_id: channel, key } = store;
  const names = [...new Set(theirs)];
  const found = names.length === 0 ? [] : await db.collection('files').find({ upstream_id: { in: names }, key });
  const own = found.filter(
    (file) => isOwned(file, { userId: store.user_id, memberId: store.member_id ?? 0 }) && file.channel_id === channel,
  );
  const known = new Map(own.map(({ id, upstream_id: name }) => [name, id]));
  const called = new Map(own.map(({ id, filename }) => [id, filename]));
  return {
    idOf: (name) => known.get(name) ?? strangerName(secrets, name),
    filenameOf: (reported) => withoutMark(reported, (id) => called.get(id)),
  };
}

/** Provider's file ids in the objects of a list. */
export function namesIn(list: readonly unknown[], field: 'id' | 'file_id'): string[] {
  return list.flatMap((item) => {
    const name = isObject(item) ? item[field] : undefined;
    return typeof name === 'string' ? [name] : [];
  });
}
