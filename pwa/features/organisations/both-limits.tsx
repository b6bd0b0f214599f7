import type { ReactNode } from 'react';
import type { Member } from '#shared/organisations.ts';
import { useActing } from '#pwa/api/acting.ts';
import { LimitsPart } from '#pwa/records/limits/limits-part.tsx';
import type { LimitedOwner } from '#pwa/records/limits/queries.ts';
import type { LimitValues } from './member-values.ts';

interface BothLimitsProps {
  form: {
    values: LimitValues;
    errors: Record<string, ReactNode>;
    setFieldValue: {
      (field: 'budgets', value: LimitValues['budgets']): void;
      (field: 'rate_limits', value: LimitValues['rate_limits']): void;
    };
  };
  before: Partial<Pick<Member, 'budgets' | 'rate_limits'>>;
  /** Whose they are; absent for new ones. */
  of?: PartOfOrganisation;
}

export interface PartOfOrganisation {
  organisation: number;
  /** User id. */
  member?: number;
  team?: number;
}

/** Part of an organisation as calls for its limits name it; undefined unless the tab acts for the organisation: they are made on its behalf. */
export function useLimitedPart(of: PartOfOrganisation | undefined): LimitedOwner | undefined {
  const acting = useActing();
  if (of === undefined || acting?.id !== of.organisation) return undefined;
  if (of.member !== undefined) return { member_id: String(of.member) };
  return of.team === undefined ? {} : { team_id: String(of.team) };
}

/** Budgets and rate limits of a member, a team, an organisation or an invitation. */
export function BothLimits({ form: { values, errors, setFieldValue }, before, of }: BothLimitsProps) {
  return (
    <LimitsPart
      owner={useLimitedPart(of)}
      scope={of?.member !== undefined ? 'member' : of?.team !== undefined ? 'team' : 'user'}
      before={before}
      budgets={{ drafts: values.budgets, error: errors['budgets'], onChange: (drafts) => setFieldValue('budgets', drafts) }}
      rates={{ drafts: values.rate_limits, error: errors['rate_limits'], onChange: (drafts) => setFieldValue('rate_limits', drafts) }}
    />
  );
}
