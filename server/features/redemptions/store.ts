import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '#shared/errors.ts';
import type { Page } from '#shared/paging.ts';
import { type Redemption, type RedemptionAction, RedemptionStatus, sweptIdsLimit } from '#shared/redemptions.ts';
import { readUsernames } from '#server/accounts/usernames.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter, Patch } from '#server/db/collection.ts';
import type { Write } from '#server/db/database.ts';
import type { RedemptionRecord } from '#server/db/records/redemption.ts';
import { exactTotal, pageResponse, pageBounds } from '#server/http/paging.ts';
import { restorableTexts } from '#server/clock/restorable-times.ts';

interface CodeQuery {
  p?: number | undefined;
  page_size?: number | undefined;
  status?: number | undefined;
  keyword?: string | undefined;
}

/** A page of codes, newest first. */
export async function listCodes(context: AppContext, query: CodeQuery): Promise<Page<Redemption>> {
  const codes = context.db.collection('redemptions');
  const filter = filterOf(query);
  const bounds = pageBounds(query);
  const [items, count] = await Promise.all([
    codes.find(filter, { sort: [['id', -1]], skip: bounds.skip, limit: bounds.size }),
    codes.count(filter, exactTotal + 1),
  ]);
  const names = await namesOf(context, items);
  return pageResponse(
    items.map((record) => withNames(context, record, names)),
    bounds,
    count,
  );
}

/** @throws {AppError} `not_found`, for deleted codes too */
export async function readCode(context: AppContext, id: number): Promise<RedemptionRecord> {
  const code = await context.db.collection('redemptions').get(id);
  if (code === null || code.DeletedAt !== null) throw new AppError('not_found');
  return code;
}

/** A code with the names of who made and who redeemed it. */
export async function presentNamed(context: AppContext, record: RedemptionRecord): Promise<Redemption> {
  return withNames(context, record, await namesOf(context, [record]));
}

function namesOf({ db }: AppContext, records: readonly RedemptionRecord[]): Promise<ReadonlyMap<number, string>> {
  return readUsernames(
    db,
    records.flatMap(({ user_id: maker, used_user_id: redeemer }) => [maker, redeemer]),
  );
}

function withNames(context: AppContext, record: RedemptionRecord, names: ReadonlyMap<number, string>): Redemption {
  const nameOf = (id: number): string => names.get(id) ?? '';
  return { ...presentCode(context, record), user_name: nameOf(record.user_id), used_user_name: nameOf(record.used_user_id) };
}

export function presentCode(context: Pick<AppContext, 'secrets'>, record: RedemptionRecord): Redemption {
  const { id, user_id, status, name, quota, created_time, redeemed_time, expired_time, used_user_id, DeletedAt, revision } = record;
  const fields = { id, user_id, status, name, quota, created_time, redeemed_time, expired_time, used_user_id, DeletedAt, revision };
  return { ...fields, key: readKey(context, record), count: 0 };
}

/** Does it to those of the codes that it fits; answers how many. */
export async function changeCodes(context: AppContext, ids: readonly number[], action: RedemptionAction): Promise<number> {
  const { where, patch } = actions[action](context);
  return context.db.collection('redemptions').patchAll({ and: [{ id: { in: ids } }, where] }, patch);
}

const removalStep = 500;

/** Deletes all that have been redeemed up to now, some hundred at a time; answers how many, and which unless they are too many. */
export async function deleteUsedCodes(context: AppContext): Promise<{ count: number; ids: number[] | null }> {
  const codes = context.db.collection('redemptions');
  const deleted: number[] = [];
  let count = 0;
  for (let after = 0; ;) {
    const used: Filter<RedemptionRecord> = { listed: 1, status: RedemptionStatus.used, id: { gt: after } };
    const page = await codes.find(used, { sort: [['id', 1]], limit: removalStep });
    const last = page.at(-1);
    if (last === undefined) return { count, ids: count > sweptIdsLimit ? null : deleted };
    const { where, patch } = actions.delete(context);
    // Each is written separately: codes that another request deletes meanwhile are not counted.
    const done = await context.db.write(
      page.map(({ id }): Write => ({ of: 'redemptions', where: { ...where, id }, patch, anyOrder: true })),
    );
    const ids = page.map(({ id }) => id).filter((_id, index) => done[index]);
    count += ids.length;
    if (count <= sweptIdsLimit) deleted.push(...ids);
    after = last.id;
    await nextTurn();
  }
}

interface Change {
  where: Filter<RedemptionRecord>;
  patch: Patch<RedemptionRecord>;
}

const actions: Record<RedemptionAction, (context: AppContext) => Change> = {
  // The record stays for the books.
  delete: (context) => ({
    where: { DeletedAt: null },
    patch: { set: { DeletedAt: new Date(context.now()).toISOString() }, unset: ['listed'], increment: { revision: 1 } },
  }),
  enable: () => ({
    where: { DeletedAt: null, status: RedemptionStatus.disabled },
    patch: { set: { status: RedemptionStatus.unused }, increment: { revision: 1 } },
  }),
  disable: () => ({
    where: { DeletedAt: null, status: RedemptionStatus.unused },
    patch: { set: { status: RedemptionStatus.disabled }, increment: { revision: 1 } },
  }),
  restore: (context) => ({
    where: { DeletedAt: restorableTexts(context) },
    patch: { set: { DeletedAt: null, listed: 1 }, increment: { revision: 1 } },
  }),
};

function filterOf({ status, keyword }: CodeQuery): Filter<RedemptionRecord> {
  const filter: Filter<RedemptionRecord> = { listed: 1, ...(status === undefined ? {} : { status }) };
  if (keyword === undefined) return filter;
  const matches: Filter<RedemptionRecord>[] = [{ name: { startsWith: keyword } }];
  if (/^\d{1,15}$/.test(keyword)) matches.push({ id: Number(keyword) });
  return { and: [filter, { or: matches }] };
}

/** Empty when the code was encrypted with another master key: it can be seen and deleted, not redeemed. */
function readKey({ secrets }: Pick<AppContext, 'secrets'>, record: RedemptionRecord): string {
  try {
    return secrets.decrypt(record.key_cipher, 'redemption_code');
  } catch {
    return '';
  }
}
