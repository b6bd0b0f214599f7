// What changed one's balance besides calls, out of the ledger, with what is known of each entry.
import type { Page } from '#shared/paging.ts';
import { centsText } from '#shared/top-up-price.ts';
import type { EntryKind, WalletEntry } from '#shared/wallet.ts';
import { entryKindOf, entryKinds } from '#server/accounts/entry-kinds.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { LedgerRecord } from '#server/db/records/ledger-entry.ts';
import { exactTotal, isBehind, pageBounds, pageResponse } from '#server/http/paging.ts';
import { closingKind } from '#server/money/log-closing.ts';

interface HistoryQuery {
  p?: number | undefined;
  page_size?: number | undefined;
  kind?: EntryKind | undefined;
}

const shownOfCode = 4;

/** Newest first, without what was given up. */
export async function readHistory(context: AppContext, userId: number, query: HistoryQuery): Promise<Page<WalletEntry>> {
  const bounds = pageBounds(query);
  const filter: Filter<LedgerRecord> = { account: 'user', account_id: userId, state: { ne: 'void' }, ...ofKind(query.kind) };
  const ledger = context.db.collection('ledger');
  const total = await ledger.count(filter, exactTotal + 1);
  const entries = isBehind(bounds.skip, total)
    ? []
    : await ledger.find(filter, { sort: [['id', -1]], skip: bounds.skip, limit: bounds.size });
  const details = await readDetails(context, userId, entries);
  const items = entries.map(({ id, created_at, kind, amount, ref }) => {
    return { id, created_at, kind: entryKindOf(kind), amount, ...details.get(ref) };
  });
  return pageResponse(items, bounds, total);
}

function ofKind(kind: EntryKind | undefined): Filter<LedgerRecord> {
  // What rows of the log had taken that are gone was no change of the balance.
  if (kind === undefined) return { kind: { ne: closingKind } };
  if (kind !== 'other') return { kind: { in: entryKinds[kind] } };
  return { and: [closingKind, ...Object.values(entryKinds).flat()].map((name) => ({ kind: { ne: name } })) };
}

type Details = Pick<WalletEntry, 'order' | 'code'>;

/** By the reference of the entry, which holds the id of what was paid or redeemed. */
async function readDetails({ db, secrets }: AppContext, userId: number, entries: readonly LedgerRecord[]): Promise<Map<string, Details>> {
  const idsOf = (kind: string) => entries.filter((entry) => entry.kind === kind).map((entry) => idIn(entry.ref));
  const [orderIds, codeIds] = [idsOf('topup'), idsOf('redemption')];
  const orders = orderIds.length === 0 ? [] : await db.collection('orders').find({ id: { in: orderIds }, user_id: userId });
  const codes = codeIds.length === 0 ? [] : await db.collection('redemptions').find({ id: { in: codeIds }, used_user_id: userId });
  const byOrder = new Map(orders.map(({ id, trade_no, method, cents }) => [id, { trade_no, method, money: centsText(cents) }]));
  const byCode = new Map(codes.map(({ id, key_cipher }) => [id, beginning(secrets, key_cipher)]));
  return new Map(
    entries.map(({ kind, ref }): [string, Details] => {
      const order = kind === 'topup' ? byOrder.get(idIn(ref)) : undefined;
      const code = kind === 'redemption' ? byCode.get(idIn(ref)) : undefined;
      return [ref, { ...(order === undefined ? {} : { order }), ...(code === undefined ? {} : { code }) }];
    }),
  );
}

/** `topup:17:1` → 17 */
function idIn(ref: string): number {
  return Number(ref.split(':')[1] ?? 0);
}

function beginning(secrets: AppContext['secrets'], cipher: string): string | undefined {
  try {
    return secrets.decrypt(cipher, 'redemption_code').slice(0, shownOfCode);
  } catch {
    return undefined;
  }
}
