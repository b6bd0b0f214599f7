// Charges work with one log row that has one price and no tokens, whether before its provider begins or after.
import { AppError } from '#shared/errors.ts';
import { type LogOther, LogType } from '#shared/logs.ts';
import type { AppContext } from '#server/context.ts';
import type { PrepaidWork } from '#server/db/records/prepaid-work.ts';
import type { Reservation } from '#server/money/leases/reservation.ts';
import { chargeOf, type PaidCharge } from '#server/money/recovery/call-charge.ts';
import type { ChargeRow } from '#server/money/settlement/settled-call.ts';
import type { RelayServices } from '#server/call/services.ts';

type Charged = Pick<PrepaidWork, 'user_id' | 'username' | 'token_id' | 'token_name' | 'group' | 'channel_id' | 'model' | 'request_id'>;

type WorkRow = ChargeRow & { request_id: string };

export function chargeRow({ now, settings }: AppContext, work: Charged, { quota, other }: { quota: number; other: LogOther }): WorkRow {
  return {
    user_id: work.user_id,
    created_at: Math.floor(now() / 1000),
    type: LogType.consumption,
    username: work.username,
    token_name: work.token_name,
    model_name: work.model,
    quota,
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time: 0,
    is_stream: false,
    channel_id: work.channel_id,
    token_id: work.token_id,
    group: work.group,
    other: { admin_info: { use_channel: [String(work.channel_id)] }, ...other },
    request_id: work.request_id,
    ...(settings.get('LogConsumeEnabled') ? {} : { hidden: true }),
  };
}

/**
 * Settles the charge. Returns what was charged, which is less than the row's quota if the reservation was lost and the
 * balance too low.
 * @throws {AppError} if the books were closed without the charge, so it will not be applied
 */
export async function settleCharge({ context, use }: RelayServices, reservation: Reservation, row: WorkRow): Promise<PaidCharge> {
  await context.ledger.settle(reservation, row);
  use.add(row.channel_id, row.quota);
  const { paid } = await chargeOf(context.db, row);
  if (paid === null) throw new AppError('internal_error');
  return paid;
}
