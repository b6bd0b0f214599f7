import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Option } from '#shared/options.ts';
import { Role } from '#shared/roles.ts';
import { mayWriteSetting } from '#shared/settings.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { BudgetList } from '#pwa/records/limits/budget-list.tsx';
import { siteBudgetDrafts, siteBudgetsText, siteRateDrafts, siteRatesText } from '#pwa/records/limits/limit-drafts.ts';
import { RateList } from '#pwa/records/limits/rate-list.tsx';
import { textNow } from './group-editor.tsx';
import styles from './limits-editor.module.css';
import { seekSetting } from './seek-setting.ts';
import type { SettingEdits } from './use-setting-edits.ts';
import { useSettingLabels } from './use-setting-labels.ts';

interface LimitsEditorProps {
  options: readonly Option[];
  edits: SettingEdits;
  /** The setting that a link leads to. */
  wanted: string | undefined;
}

/** Rate limits and budgets of groups, models and the site: what is entered goes into the same edits as the JSON below it. */
export function LimitsEditor(props: LimitsEditorProps) {
  const { t } = useTranslation();
  const words = useSettingLabels();
  const { options, edits, wanted } = props;
  useEffect(() => {
    if (wanted !== undefined) seekSetting(wanted);
  }, [wanted]);
  const role = useStoredUser()?.role ?? Role.guest;
  const stored = (key: 'SiteRateLimits' | 'SiteBudgets'): string => options.find((option) => option.key === key)?.value ?? '';
  const rates = useDrafts(textNow(props, 'SiteRateLimits'), siteRateDrafts, siteRatesText, (text) => edits.type('SiteRateLimits', text));
  const budgets = useDrafts(textNow(props, 'SiteBudgets'), siteBudgetDrafts, siteBudgetsText, (text) => edits.type('SiteBudgets', text));
  const state = (key: 'SiteRateLimits' | 'SiteBudgets') => {
    const problem = edits.problems.get(key);
    const isManaged = options.some((option) => option.key === key && option.managed_by !== undefined);
    return { error: problem === undefined ? undefined : words.problem(problem), isReadOnly: isManaged || !mayWriteSetting(key, role) };
  };
  return (
    <div className={styles.limits}>
      {/* While the JSON below is being typed it is no list; the editor comes back with the last bracket. */}
      {rates.drafts !== undefined && (
        <section data-setting="SiteRateLimits">
          <h3>{t('settings.option.SiteRateLimits.label')}</h3>
          <RateList
            {...state('SiteRateLimits')}
            isSite
            drafts={rates.drafts}
            before={siteRateDrafts(stored('SiteRateLimits')) ?? []}
            onChange={rates.handleChange}
          />
        </section>
      )}
      {budgets.drafts !== undefined && (
        <section data-setting="SiteBudgets">
          <h3>{t('settings.option.SiteBudgets.label')}</h3>
          <BudgetList
            {...state('SiteBudgets')}
            isSite
            drafts={budgets.drafts}
            before={siteBudgetDrafts(stored('SiteBudgets')) ?? []}
            onChange={budgets.handleChange}
          />
        </section>
      )}
    </div>
  );
}

/** A list as it was entered here, as long as the text is the one that it was written to: a text holds no unfinished rows. */
function useDrafts<Draft>(
  text: string,
  read: (text: string) => Draft[] | undefined,
  write: (drafts: readonly Draft[]) => string,
  onText: (text: string) => void,
) {
  const [entered, setEntered] = useState<{ text: string; drafts: Draft[] }>();
  return {
    drafts: entered?.text === text ? entered.drafts : read(text),
    handleChange(drafts: Draft[]): void {
      const next = write(drafts);
      setEntered({ text: next, drafts });
      onText(next);
    },
  };
}
