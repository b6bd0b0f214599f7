// Bounds of the lists that the console reads whole: teams and invitations carry policies, rate limits and budgets, each of which may be long.
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import type { AppContext } from '#server/context.ts';
import type { LimitedRecord } from '#server/accounts/stored-limits.ts';

/** Characters of the policies, rate limits and budgets of all teams of an organisation, or of all its invitations; the rule's text has it too. */
const longestTogether = 500_000;

/** Texts of a record that may be long. */
export interface LongFields extends LimitedRecord {
  policy?: string;
}

/**
 * Checks that what the records of a list carry together stays short, under the organisation's lock.
 * @param change fields of a record and its `id`, or of `count` new records
 * @throws {AppError} `invalid_field` unless the changes make the list shorter
 */
export async function requireShortList(
  { db }: AppContext,
  name: 'teams' | 'organisation_invites',
  organisationId: number,
  { id = 0, fields, count = 1 }: { id?: number; fields: LongFields; count?: number },
): Promise<void> {
  const field = (['policy', 'rate_limits', 'budgets'] as const).find((one) => (fields[one] ?? '') !== '');
  if (field === undefined) return;
  let others = 0;
  let before: LongFields = {};
  for await (const record of db.collection(name).each({ organisation_id: organisationId })) {
    if (record.id === id) before = record;
    else others += lengthOf(record);
  }
  const changed = lengthOf({ ...before, ...fields }) * count;
  if (changed > lengthOf(before) && others + changed > longestTogether) throw invalidField(field, fieldRules.listsTooLong);
}

function lengthOf({ policy = '', rate_limits: rates = '', budgets = '' }: LongFields): number {
  return policy.length + rates.length + budgets.length;
}
