import { NumberInput, Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { rateWindows } from '#shared/rate-limits.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { EditLabel } from '#pwa/ui/form/edit-label.tsx';
import { Fold } from '#pwa/ui/form/fold.tsx';
import { isWindowMeter, meters, rateProblems, type RateDraft } from './limit-drafts.ts';
import styles from './limits.module.css';
import { LimitedModelsField, SiteScopeFields } from './scope-fields.tsx';

interface RateFieldsProps {
  draft: RateDraft;
  all: readonly RateDraft[];
  before: RateDraft | undefined;
  isSite: boolean;
  showsProblems: boolean;
  onChange: (draft: RateDraft) => void;
}

/** One rate limit: amount and what it counts; the models folded. */
export function RateFields({ draft, all, before, isSite, showsProblems, onChange }: RateFieldsProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const found = rateProblems(draft, all);
  const problem = (field: keyof RateDraft): string | undefined => {
    const one = showsProblems ? found[field] : undefined;
    return one === undefined ? undefined : t(`limits.problem.${one}`);
  };
  const set = (change: Partial<RateDraft>): void => onChange({ ...draft, ...change });
  const was = before !== undefined && before.amount !== '' && before.amount !== draft.amount ? format.count(before.amount) : undefined;
  return (
    <div className={styles.fields}>
      <div className={`${styles.two} ${styles.counted}`}>
        <NumberInput
          label={<EditLabel was={was}>{t('limits.form.most')}</EditLabel>}
          value={draft.amount}
          error={problem('amount')}
          min={1}
          allowDecimal={false}
          allowNegative={false}
          thousandSeparator=","
          clampBehavior="none"
          inputMode="numeric"
          onChange={(amount) => set({ amount: typeof amount === 'number' ? amount : '' })}
        />
        <Select
          label={t('limits.form.meter')}
          // Together they are one choice: what is counted, and in which window.
          data={choices().map(({ value, name }) => ({ value, label: t(`limits.meter.${name}`) }))}
          value={isWindowMeter(draft.meter) ? `${draft.meter} ${draft.per}` : draft.meter}
          error={problem('meter')}
          allowDeselect={false}
          onChange={(value) => {
            const chosen = choices().find((one) => one.value === value);
            if (chosen !== undefined) set({ meter: chosen.meter, per: chosen.per ?? draft.per });
          }}
        />
      </div>
      {isSite && <SiteScopeFields groups={draft.groups} counted={draft.counted} disabled={false} onChange={set} />}
      <div className={styles.more}>
        <Fold
          title={t('limits.form.models')}
          aside={draft.models.length === 0 ? t('limits.form.all_models') : draft.models.join(', ')}
          needsLook={showsProblems && 'models' in found}
        >
          {() => <LimitedModelsField value={draft.models} error={problem('models')} onChange={(models) => set({ models })} />}
        </Fold>
      </div>
    </div>
  );
}

interface MeterChoice {
  value: string;
  name: string;
  meter: RateDraft['meter'];
  per?: RateDraft['per'];
}

function choices(): MeterChoice[] {
  return meters.flatMap((meter): MeterChoice[] =>
    isWindowMeter(meter)
      ? rateWindows.map((per) => ({ value: `${meter} ${per}`, name: `${meter}_${per}`, meter, per }))
      : [{ value: meter, name: meter, meter }],
  );
}
