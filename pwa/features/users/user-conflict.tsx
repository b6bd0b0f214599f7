import { useTranslation } from 'react-i18next';
import { roleName } from '#shared/roles.ts';
import type { User } from '#shared/user.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { budgetDrafts, budgetsOf, changesBudgets, changesRates, rateDrafts, ratesOf } from '#pwa/records/limits/limit-drafts.ts';
import { useLimitWords } from '#pwa/records/limits/use-limit-words.ts';
import { type ConflictRow, RevisionConflict } from '#pwa/ui/form/revision-conflict.tsx';
import type { UserValues } from './user-values.ts';

interface UserConflictProps {
  base: User;
  theirs: User;
  mine: UserValues;
  isBusy: boolean;
  onKeepMine: () => void;
  onReload: () => void;
}

/** What others saved while this form was open. */
export function UserConflict({ base, theirs, mine, ...rest }: UserConflictProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useLimitWords();
  const rows: ConflictRow[] = (['username', 'display_name', 'group'] as const)
    .filter((field) => base[field] !== theirs[field])
    .map((field) => ({
      field,
      name: t(`users.field.${field}`),
      base: base[field],
      theirs: theirs[field],
      ...(mine[field] === base[field] ? {} : { mine: mine[field] }),
    }));
  if (changesRates(rateDrafts(base.rate_limits), theirs.rate_limits))
    rows.push({
      field: 'rate_limits',
      name: t('limits.rates.title'),
      base: words.rates(base.rate_limits),
      theirs: words.rates(theirs.rate_limits),
      ...(changesRates(mine.rate_limits, base.rate_limits) ? { mine: words.rates(ratesOf(mine.rate_limits)) } : {}),
    });
  if (changesBudgets(budgetDrafts(base.budgets), theirs.budgets))
    rows.push({
      field: 'budgets',
      name: t('limits.budgets.title'),
      base: words.budgets(base.budgets),
      theirs: words.budgets(theirs.budgets),
      ...(changesBudgets(mine.budgets, base.budgets) ? { mine: words.budgets(budgetsOf(mine.budgets)) } : {}),
    });
  if (base.quota !== theirs.quota) {
    rows.push({ field: 'quota', name: t('users.column.balance'), base: format.quota(base.quota), theirs: format.quota(theirs.quota) });
  }
  if (base.role !== theirs.role) rows.push({ field: 'role', name: t('users.column.role'), base: wordOf(base), theirs: wordOf(theirs) });
  if (base.status !== theirs.status)
    rows.push({ field: 'status', name: t('users.column.status'), base: statusName(base), theirs: statusName(theirs) });
  return <RevisionConflict rows={rows} {...rest} />;

  function wordOf({ role }: User): string {
    return t(`common.role.${roleName(role)}`);
  }
  function statusName({ status }: User): string {
    return t(`users.status.${status === 1 ? 'active' : status === 2 ? 'banned' : 'locked'}`);
  }
}
