import { AppError } from '#shared/errors.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import { type Redemption, type RedemptionEdit, RedemptionStatus } from '#shared/redemptions.ts';
import type { AppContext } from '#server/context.ts';
import { editRecord } from '#server/db/edit-record.ts';
import type { RedemptionRecord } from '#server/db/records/redemption.ts';
import { checkCodeExpiry, checkCodeName, checkCodeQuota } from './create-codes.ts';
import { presentCode, presentNamed } from './store.ts';

/** Name, quota and expiry of a code that can still be redeemed. Old clients send the whole record back. */
export function editCode(context: AppContext, input: RedemptionEdit): Promise<Redemption> {
  const { name, quota, expired_time } = input;
  return edit(context, input, (current) => {
    if (current.status === RedemptionStatus.disabled) throw new AppError('redemption_disabled');
    if (quota !== undefined) checkCodeQuota(quota);
    // One that has passed may be sent back.
    if (expired_time !== undefined && expired_time !== current.expired_time) checkCodeExpiry(context, expired_time);
    return {
      ...(name === undefined ? {} : { name: checkCodeName(name) }),
      ...(quota === undefined ? {} : { quota }),
      ...(expired_time === undefined ? {} : { expired_time }),
    };
  });
}

export function editCodeStatus(context: AppContext, input: RedemptionEdit): Promise<Redemption> {
  const { status } = input;
  if (status !== RedemptionStatus.unused && status !== RedemptionStatus.disabled) throw invalidField('status', fieldRules.onOrOff);
  return edit(context, input, () => ({ status }));
}

type Fields = Partial<Pick<RedemptionRecord, 'name' | 'quota' | 'expired_time' | 'status'>>;

async function edit(
  context: AppContext,
  { id, revision }: RedemptionEdit,
  change: (current: RedemptionRecord) => Fields,
): Promise<Redemption> {
  const edited = await editRecord(context, 'redemptions', {
    id,
    where: { DeletedAt: null },
    revision,
    change(current) {
      if (current.status === RedemptionStatus.used) throw new AppError('redemption_used');
      return { set: change(current) };
    },
    present: (current) => presentCode(context, current),
  });
  if (edited === null) throw new AppError('not_found');
  return presentNamed(context, edited.after);
}
