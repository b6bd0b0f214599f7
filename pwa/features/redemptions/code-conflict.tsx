import { useTranslation } from 'react-i18next';
import { type Redemption, RedemptionStatus } from '#shared/redemptions.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { RevisionConflict } from '#pwa/ui/form/revision-conflict.tsx';
import { type CodeValues, comparedFields, editBody } from './code-form.ts';
import { useExpiryText } from './code-labels.tsx';
import styles from './redemptions.module.css';

interface CodeConflictProps {
  before: Redemption;
  theirs: Redemption;
  values: CodeValues;
  isBusy: boolean;
  onReload: () => void;
  /** Saves what was entered here on top of theirs; what was not touched here stays as they set it. */
  onKeepMine: () => void;
}

/** Somebody else saved this code while the form was open. */
export function CodeConflict({ before, theirs, values, isBusy, onReload, onKeepMine }: CodeConflictProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const expiry = useExpiryText();
  const touched = editBody(values, before);
  const mine = { ...before, ...touched };
  const show = (field: (typeof comparedFields)[number], code: Pick<Redemption, (typeof comparedFields)[number]>): string => {
    if (field === 'quota') return format.quota(code.quota);
    if (field === 'expired_time') return expiry(code.expired_time);
    if (field === 'status')
      return t(code.status === RedemptionStatus.disabled ? 'redemptions.status.disabled' : 'redemptions.status.unused');
    return code.name;
  };
  return (
    <div className={styles.conflict}>
      <RevisionConflict
        rows={comparedFields
          .filter((field) => before[field] !== theirs[field])
          .map((field) => ({
            field,
            name: t(`redemptions.column.${field === 'expired_time' ? 'expiry' : field}`),
            base: show(field, before),
            theirs: show(field, theirs),
            ...(field in touched ? { mine: show(field, mine) } : {}),
          }))}
        isBusy={isBusy}
        onReload={onReload}
        onKeepMine={onKeepMine}
      />
    </div>
  );
}
