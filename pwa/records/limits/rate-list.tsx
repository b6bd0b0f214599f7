import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RateLimitState } from '#shared/rate-limit-states.ts';
import { mostRateLimits, rateLimitKey } from '#shared/rate-limits.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { ScopeMark } from './budget-list.tsx';
import { isWindowMeter, newRate, type RateDraft, rateDraftKey, rateProblems, ratesOf } from './limit-drafts.ts';
import { LimitLevel } from './limit-level.tsx';
import { LimitRow } from './limit-row.tsx';
import styles from './limits.module.css';
import { RateFields } from './rate-fields.tsx';
import { useLimitWords } from './use-limit-words.ts';

interface RateListProps {
  drafts: readonly RateDraft[];
  /** As they are stored. */
  before: readonly RateDraft[];
  states?: readonly RateLimitState[] | undefined;
  /** Limits of others that bind as well. */
  others?: readonly RateLimitState[];
  error?: ReactNode;
  isSite?: boolean;
  isReadOnly?: boolean;
  onChange: (drafts: RateDraft[]) => void;
}

const none: readonly RateLimitState[] = [];

/** Rate limits of one record or of the site. */
export function RateList(props: RateListProps) {
  const { drafts, before, states, others = none, error, isSite = false, isReadOnly = false, onChange } = props;
  const { t } = useTranslation();
  const [open, setOpen] = useState<{ id: string; isNew: boolean }>();
  const isWrong = error !== undefined && error !== null;
  const wrong = isWrong ? drafts.find((draft) => Object.keys(rateProblems(draft, drafts)).length > 0)?.id : undefined;
  const opened = wrong ?? open?.id;

  function handleAdd(): void {
    const draft = newRate(drafts);
    onChange([...drafts, draft]);
    setOpen({ id: draft.id, isNew: true });
  }
  return (
    <div>
      <ul className={styles.list}>
        {drafts.map((draft) => (
          <RateRow
            key={draft.id}
            draft={draft}
            all={drafts}
            before={before.find((one) => rateDraftKey(one) === rateDraftKey(draft))}
            state={states?.find(({ limit }) => rateLimitKey(limit) === keyOf(draft))}
            isUnsaved={states !== undefined && !before.some((one) => rateDraftKey(one) === rateDraftKey(draft))}
            isSite={isSite}
            isReadOnly={isReadOnly}
            showsProblems={isWrong}
            isOpen={opened === draft.id}
            takesFocus={open?.id === draft.id && open.isNew}
            onToggle={() => setOpen(opened === draft.id ? undefined : { id: draft.id, isNew: false })}
            onChange={(next) => onChange(drafts.map((one) => (one.id === next.id ? next : one)))}
            onRemove={() => onChange(drafts.filter((one) => one.id !== draft.id))}
          />
        ))}
        {others.map((state) => (
          <li key={`${state.scope}${rateLimitKey(state.limit)}`} className={styles.row}>
            <div className={styles.head}>
              <RateLevel state={state} aside={<ScopeMark scope={state.scope} />} />
            </div>
          </li>
        ))}
      </ul>
      {isWrong && wrong === undefined && <p className={`${typography.small} ${styles.error}`}>{error}</p>}
      {(!isReadOnly || drafts.length + others.length === 0) && (
        <div className={`${layout.row} ${layout.spread} ${styles.none}`}>
          <span className={typography.muted}>{drafts.length + others.length === 0 ? t('limits.rates.none') : ''}</span>
          {!isReadOnly && drafts.length < mostRateLimits * (isSite ? 5 : 1) && (
            <Button variant="subtle" leftSection={<Icon name="plus" />} onClick={handleAdd}>
              {t('limits.rates.add')}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

interface RateRowProps {
  draft: RateDraft;
  all: readonly RateDraft[];
  before: RateDraft | undefined;
  state: RateLimitState | undefined;
  /** It is new in a record that is there. */
  isUnsaved: boolean;
  isSite: boolean;
  isReadOnly: boolean;
  showsProblems: boolean;
  isOpen: boolean;
  takesFocus: boolean;
  onToggle: () => void;
  onChange: (draft: RateDraft) => void;
  onRemove: () => void;
}

function RateRow({
  draft,
  all,
  before,
  state,
  isUnsaved,
  isSite,
  isReadOnly,
  showsProblems,
  isOpen,
  takesFocus,
  onToggle,
  onChange,
  onRemove,
}: RateRowProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useLimitWords();
  const name = words.rateName(isWindowMeter(draft.meter) ? draft : { meter: draft.meter });
  const scope = [words.concerns(draft), isSite ? t(`limits.counted.${draft.counted}`) : ''].filter((part) => part !== '').join(' · ');
  const isSame = before !== undefined && before.amount === draft.amount;
  return (
    <LimitRow
      name={name}
      isOpen={isOpen}
      takesFocus={takesFocus}
      onToggle={isReadOnly ? undefined : onToggle}
      level={(chevron) =>
        state !== undefined && isSame ? (
          <RateLevel state={state} aside={chevron} />
        ) : (
          <LimitLevel
            name={name}
            label={name}
            aside={
              <>
                {chevron}
                <span className={styles.owner}>{scope}</span>
              </>
            }
            left={draft.amount === '' ? '' : format.count(draft.amount)}
            begin={isUnsaved ? t('limits.not_saved') : undefined}
          />
        )
      }
    >
      {() => (
        <>
          <RateFields draft={draft} all={all} before={before} isSite={isSite} showsProblems={showsProblems} onChange={onChange} />
          <div className={`${layout.row} ${layout.wrap} ${layout.spread} ${styles.foot}`}>
            <Button variant="subtle" data-danger onClick={onRemove}>
              {t('limits.remove_rate')}
            </Button>
          </div>
        </>
      )}
    </LimitRow>
  );
}

/** What is left of a rate limit now. */
export function RateLevel({ state: { limit, left, full_at: fullAt }, aside }: { state: RateLimitState; aside?: ReactNode }) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useLimitWords();
  const name = words.rateName(limit);
  const scope = words.concerns(limit);
  const now = Date.now() / 1000;
  const isMeasured = limit.meter !== 'input_tokens' && limit.meter !== 'output_tokens';
  return (
    <LimitLevel
      name={name}
      label={t('limits.standing.label', { name })}
      aside={
        <>
          {aside}
          {scope !== '' && <span className={styles.owner}>{scope}</span>}
        </>
      }
      left={format.count(Math.max(0, left))}
      of={isMeasured ? t('limits.of', { amount: format.count(limit.amount) }) : undefined}
      standing={
        isMeasured
          ? { level: left <= 0 ? 'used_up' : 'ok', left: Math.min(1, Math.max(0, left / limit.amount)), pace: undefined }
          : undefined
      }
      begin={present()}
      end={isMeasured ? t('limits.rates.then') : t(`limits.rates.${limit.meter}_then`)}
    />
  );

  function present(): string | undefined {
    if (limit.meter === 'parallel') return t('limits.rates.running', { count: limit.amount - left });
    if (!isMeasured) return undefined;
    return fullAt > now && left < limit.amount ? t('limits.rates.full_in', { time: words.distance(fullAt - now) }) : t('limits.rates.full');
  }
}

/** The same without callers, as the state of a record's limit has it. */
function keyOf(draft: RateDraft): string {
  const [limit] = ratesOf([draft]);
  return limit === undefined ? '' : rateLimitKey(limit);
}
