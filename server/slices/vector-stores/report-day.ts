// Reports a store's costs to its owner: a log row for each day with a cost, and a notice if the next day cannot be
// paid.
import { LogType } from '#shared/logs.ts';
import { quotaLogText } from '#shared/quota.ts';
import type { AppContext } from '#server/context.ts';
import type { VectorStoreRecord } from '#server/db/records/vector-store.ts';
import { writeLog } from '#server/logs/write-log.ts';
import { queueNotification } from '#server/notify/notifications.ts';

/** Reports the day that is being closed. */
export async function reportDay(context: AppContext, store: VectorStoreRecord): Promise<void> {
  const { settings } = context;
  const display = { inCurrency: settings.get('DisplayInCurrencyEnabled'), quotaPerUnit: settings.get('QuotaPerUnit') };
  const { id, name, day_bytes: bytes, closing_cost: cost, period_from: from, closing_until: until, price, group_ratio: ratio } = store;
  const { quota_per_unit: unit } = store;
  const seconds = until - from;
  await writeLog(context, {
    id: store.log_id,
    user_id: store.user_id,
    username: store.username,
    type: LogType.system,
    token_id: store.token_id,
    token_name: store.token_name,
    channel_id: store.channel_id,
    group: store.group,
    // Counted as spent in statistics.
    ...(settings.get('LogConsumeEnabled') ? { refunded: -cost } : {}),
    content: `向量库 ${id} 存储 ${bytes} 字节，共 ${seconds} 秒，计费 ${quotaLogText(cost, display)}`,
    event: { code: 'store_day', store: id, name, bytes, from, until, price, group_ratio: ratio, quota_per_unit: unit, amount: -cost },
  });
}

/** @param until unix seconds at which the store is deleted */
export async function reportUnpaid(context: AppContext, { id, user_id: userId, name }: VectorStoreRecord, until: number): Promise<void> {
  await queueNotification(context, { key: `store:${id}:${until}`, userId, event: { code: 'store_unpaid', store: id, name, until } });
}
