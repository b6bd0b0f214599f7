// Pasted text as lines to invite, with the faults of each that need no request to find.
import { invitationListLimit, type InvitationLine } from '#shared/invitations.ts';
import { readAmount, readPastedList } from '#shared/pasted-list.ts';
import { quotaLimit } from '#shared/user.ts';

export type OwnProblem = 'balance_invalid' | 'more_fields' | 'too_many';

export interface PersonLine {
  /** From 1, as the text has it. */
  number: number;
  /** As it was pasted. */
  source: string;
  line: InvitationLine;
  problem: OwnProblem | undefined;
}

/** @param unitsOf quota of an amount as it is written: dollars, or units themselves */
export function peopleOf(text: string, unitsOf: (amount: number) => number): PersonLine[] {
  return readPastedList(text).map(({ number, source, username, email, group, balance, hasMore }, index) => {
    const amount = readAmount(balance);
    const quota = amount === null ? Number.NaN : unitsOf(amount);
    const isAmount = Number.isSafeInteger(quota) && quota <= quotaLimit;
    const problem =
      index >= invitationListLimit ? 'too_many' : hasMore ? 'more_fields' : isAmount ? undefined : ('balance_invalid' as const);
    return { number, source, line: { username, email, group, quota: isAmount ? quota : 0 }, problem };
  });
}
