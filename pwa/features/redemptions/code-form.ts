// What the form of a code holds, what is wrong with it, and what it sends: on an edit only what was changed.
import {
  isRedemptionName,
  type Redemption,
  redemptionBatchLimit,
  type RedemptionCreate,
  type RedemptionEdit,
} from '#shared/redemptions.ts';

export interface CodeValues {
  name: string;
  /** Quota units; '' : nothing entered. */
  quota: number | '';
  /** Unix seconds, 0: never. */
  expired_time: number;
  count: number | '';
}

export const never = 0;

export const emptyCode: CodeValues = { name: '', quota: 100_000, expired_time: never, count: 1 };

export function valuesOf({ name, quota, expired_time }: Redemption): CodeValues {
  return { name, quota, expired_time, count: 1 };
}

export type CodeProblem = 'name_length' | 'quota_low' | 'expiry_past' | 'count_range';

/** What is wrong, by field. `now` is in unix seconds. A new code without a name is called after its quota. */
export function codeProblems(
  { name, quota, expired_time, count }: CodeValues,
  { now, before }: { now: number; before?: Redemption | undefined },
): Partial<Record<keyof CodeValues, CodeProblem>> {
  const problems: Partial<Record<keyof CodeValues, CodeProblem>> = {};
  const mayBeEmpty = before === undefined && name.trim() === '';
  if (!mayBeEmpty && !isRedemptionName(name)) problems.name = 'name_length';
  if (quota === '' || quota < 1) problems.quota = 'quota_low';
  if (expired_time !== never && expired_time <= now && expired_time !== before?.expired_time) problems.expired_time = 'expiry_past';
  if (before === undefined && (count === '' || count < 1 || count > redemptionBatchLimit)) problems.count = 'count_range';
  return problems;
}

/** @param quotaName what codes are called that were given no name */
export function createBody(values: CodeValues, quotaName: string): RedemptionCreate {
  return {
    name: values.name.trim() === '' ? quotaName : values.name.trim(),
    quota: values.quota === '' ? 0 : values.quota,
    expired_time: values.expired_time,
    count: values.count === '' ? 1 : values.count,
  };
}

/** The changes against the record that the form was opened with. */
export function editBody(values: CodeValues, before: Redemption, revision: number = before.revision): RedemptionEdit {
  const name = values.name.trim();
  return {
    id: before.id,
    ...(name === before.name ? {} : { name }),
    ...(values.quota === '' || values.quota === before.quota ? {} : { quota: values.quota }),
    ...(values.expired_time === before.expired_time ? {} : { expired_time: values.expired_time }),
    revision,
  };
}

const comparedFields = ['name', 'quota', 'expired_time', 'status'] as const;
export type ComparedField = (typeof comparedFields)[number];

/** Changes that others made while the form was open. */
export function changesBetween(before: Redemption, now: Redemption): ComparedField[] {
  return comparedFields.filter((field) => before[field] !== now[field]);
}
