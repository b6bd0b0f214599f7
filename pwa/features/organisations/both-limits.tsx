import type { ReactNode } from 'react';
import type { Member } from '#shared/organisations.ts';
import { LimitsPart } from '#pwa/records/limits/limits-part.tsx';
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
}

/** Budgets and rate limits of a member, a team, an organisation or an invitation. */
export function BothLimits({ form: { values, errors, setFieldValue }, before }: BothLimitsProps) {
  return (
    <LimitsPart
      owner={undefined}
      scope="user"
      before={before}
      budgets={{ drafts: values.budgets, error: errors['budgets'], onChange: (drafts) => setFieldValue('budgets', drafts) }}
      rates={{ drafts: values.rate_limits, error: errors['rate_limits'], onChange: (drafts) => setFieldValue('rate_limits', drafts) }}
    />
  );
}
