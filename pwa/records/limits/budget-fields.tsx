import { Autocomplete, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { budgetEnds, budgetPeriods, usualNotes } from '#shared/budgets.ts';
import { usableModelsQuery } from '#pwa/api/usable-models.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { PlainButton, PlainIconButton } from '#pwa/ui/controls/plain-button.tsx';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { EditLabel } from '#pwa/ui/form/edit-label.tsx';
import { Fold } from '#pwa/ui/form/fold.tsx';
import { Picks } from '#pwa/ui/form/picks.tsx';
import { QuotaInput } from '#pwa/ui/form/quota-input.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { type BudgetDraft, budgetProblems, hasCalendar, type LimitProblem } from './limit-drafts.ts';
import styles from './limits.module.css';
import { LimitedModelsField, SiteScopeFields } from './scope-fields.tsx';

interface BudgetFieldsProps {
  draft: BudgetDraft;
  /** The same as it is stored; absent: it is new. */
  before: BudgetDraft | undefined;
  isSite: boolean;
  showsProblems: boolean;
  onChange: (draft: BudgetDraft) => void;
}

/** One budget: amount, period and end; the rest folded. */
export function BudgetFields({ draft, before, isSite, showsProblems, onChange }: BudgetFieldsProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const found = budgetProblems(draft);
  const problem = (field: keyof BudgetDraft): string | undefined => problemText(found[field]);
  function problemText(one: LimitProblem | undefined): string | undefined {
    return showsProblems && one !== undefined ? t(`limits.problem.${one}`) : undefined;
  }
  const set = (change: Partial<BudgetDraft>): void => onChange({ ...draft, ...change });
  const was = before !== undefined && before.amount !== '' && before.amount !== draft.amount ? format.quota(before.amount) : undefined;
  return (
    <div className={styles.fields}>
      <div className={styles.two}>
        <QuotaInput
          isPlain
          label={<EditLabel was={was}>{t('limits.form.amount')}</EditLabel>}
          value={draft.amount}
          error={problem('amount')}
          onChange={(amount) => set({ amount })}
        />
        <Select
          label={t('limits.form.period')}
          data={budgetPeriods.map((value) => ({ value, label: t(`limits.every.${value}`) }))}
          value={draft.period}
          allowDeselect={false}
          onChange={(value) => set({ period: budgetPeriods.find((one) => one === value) ?? draft.period })}
        />
      </div>
      {isSite && <SiteScopeFields groups={draft.groups} counted={draft.counted} disabled={false} onChange={set} />}
      <EndField draft={draft} error={problem('cheaper')} onChange={set} />
      <div className={styles.more}>
        <Fold
          title={t('limits.form.more')}
          aside={moreText()}
          needsLook={showsProblems && ['name', 'time_zone', 'models'].some((field) => field in found)}
        >
          {() => <FurtherFields draft={draft} problem={problem} onChange={set} />}
        </Fold>
      </div>
    </div>
  );

  /** Something is set in the folded part. */
  function moreText(): string | undefined {
    const parts = [draft.name, ...draft.models].filter((part) => part !== '');
    return parts.length === 0 ? undefined : parts.join(', ');
  }
}

/** What happens to calls once the budget is used up. */
function EndField({ draft, error, onChange }: Pick<FurtherFieldsProps, 'draft' | 'onChange'> & { error: string | undefined }) {
  const { t } = useTranslation();
  const { at_end: end, cheaper } = draft;
  return (
    <>
      <div className={layout.stackXs}>
        <span className={`${typography.small} ${typography.secondary}`} aria-hidden="true">
          {t('limits.form.at_end')}
        </span>
        <Segments
          label={t('limits.form.at_end')}
          value={end}
          options={budgetEnds.map((value) => ({ value, label: t(`limits.choice.${value}`) }))}
          onChange={(value) => onChange({ at_end: value, ...(value === 'cheaper' && cheaper.length === 0 ? { cheaper: [noModel] } : {}) })}
        />
        <p className={typography.note}>
          {t(end === 'stop' && draft.period === 'once' ? 'limits.choice_hint.stop_once' : `limits.choice_hint.${end}`)}
        </p>
      </div>
      {end === 'cheaper' && <CheaperModels models={cheaper} error={error} onChange={(models) => onChange({ cheaper: models })} />}
    </>
  );
}

const noModel = { from: '', to: '' };

interface FurtherFieldsProps {
  draft: BudgetDraft;
  problem: (field: keyof BudgetDraft) => string | undefined;
  onChange: (change: Partial<BudgetDraft>) => void;
}

function FurtherFields({ draft, problem, onChange }: FurtherFieldsProps) {
  const { t } = useTranslation();
  const isByCalendar = draft.starts === 'calendar';
  const percents = [...new Set([...usualNotes, ...draft.notes])].toSorted((a, b) => a - b);
  return (
    <>
      <TextInput
        label={t('limits.form.name')}
        placeholder={t(`limits.period.${draft.period}`)}
        autoComplete="off"
        value={draft.name}
        error={problem('name')}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <LimitedModelsField value={draft.models} error={problem('models')} onChange={(models) => onChange({ models })} />
      {hasCalendar(draft.period) && (
        <div className={styles.two}>
          <Select
            label={t('limits.form.starts')}
            data={(['calendar', 'first_call'] as const).map((value) => ({ value, label: t(`limits.starts.${value}`) }))}
            value={draft.starts}
            allowDeselect={false}
            onChange={(value) => onChange({ starts: value === 'first_call' ? 'first_call' : 'calendar' })}
          />
          {isByCalendar && (
            <Autocomplete
              label={t('limits.form.time_zone')}
              placeholder="UTC"
              data={zones()}
              limit={60}
              maxDropdownHeight={220}
              value={draft.time_zone}
              error={problem('time_zone')}
              onChange={(zone) => onChange({ time_zone: zone })}
            />
          )}
        </div>
      )}
      <div className={layout.stackXs} role="group" aria-label={t('limits.form.notes')}>
        <span className={`${typography.small} ${typography.secondary}`} aria-hidden="true">
          {t('limits.form.notes')}
        </span>
        <Picks
          picks={percents.map((percent) => ({
            key: percent,
            label: `${percent}%`,
            isChosen: draft.notes.includes(percent),
            onPick: () =>
              onChange({
                notes: draft.notes.includes(percent) ? draft.notes.filter((one) => one !== percent) : [...draft.notes, percent],
              }),
          }))}
        />
        <p className={typography.note}>{t(draft.notes.length === 0 ? 'limits.form.no_notes' : 'limits.form.notes_hint')}</p>
      </div>
    </>
  );
}

interface CheaperModelsProps {
  models: BudgetDraft['cheaper'];
  error: string | undefined;
  onChange: (models: BudgetDraft['cheaper']) => void;
}

/** Which model takes whose place when the budget is used up. */
function CheaperModels({ models, error, onChange }: CheaperModelsProps) {
  const { t } = useTranslation();
  const usable = useQuery(usableModelsQuery);
  const data = usable.data ?? [];
  const set = (index: number, change: Partial<BudgetDraft['cheaper'][number]>): void =>
    onChange(models.map((row, at) => (at === index ? { ...row, ...change } : row)));
  return (
    <div className={layout.stackSm} role="group" aria-label={t('limits.form.cheaper')}>
      {models.map((row, index) => (
        // Names are being typed: a row is known by its place.
        <div key={index} className={styles.pair}>
          <Autocomplete
            aria-label={t('limits.form.cheaper_from', { number: index + 1 })}
            placeholder={t('limits.form.cheaper_model')}
            data={data}
            limit={40}
            value={row.from}
            error={error !== undefined && row.from.trim() === ''}
            onChange={(from) => set(index, { from })}
          />
          <span aria-hidden="true">→</span>
          <Autocomplete
            aria-label={t('limits.form.cheaper_to', { number: index + 1 })}
            placeholder={t('limits.form.cheaper_other')}
            data={data}
            limit={40}
            value={row.to}
            error={error !== undefined && (row.to.trim() === '' || models.some(({ from }) => from.trim() === row.to.trim()))}
            onChange={(to) => set(index, { to })}
          />
          <PlainIconButton
            label={t('limits.form.cheaper_remove', { number: index + 1 })}
            onClick={() => onChange(models.toSpliced(index, 1))}
          >
            <Icon name="trash" />
          </PlainIconButton>
        </div>
      ))}
      {error !== undefined && <p className={`${typography.small} ${styles.error}`}>{error}</p>}
      <span>
        <PlainButton variant="subtle" icon={<Icon name="plus" />} onClick={() => onChange([...models, noModel])}>
          {t('limits.form.cheaper_add')}
        </PlainButton>
      </span>
    </div>
  );
}

function zones(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone')];
}
