import { Button, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Option } from '#shared/options.ts';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import { ChangeLines } from '#pwa/ui/list/change-lines.tsx';
import { changesOf } from './option-drafts.ts';
import { PriceEffect } from './price-effect.tsx';
import { PriceChanges, usePriceChanges } from './price-changes.tsx';
import { isPriceKey } from './price-rows.ts';
import styles from './settings-panels.module.css';
import { useChangeLines } from './use-change-lines.ts';
import type { SettingEdits } from './use-setting-edits.ts';
import { useSettingLabels } from './use-setting-labels.ts';

interface SettingsDiffProps {
  edits: SettingEdits;
  options: readonly Option[];
  onSave: () => void;
  onClose: () => void;
}

const longestNote = 200;

/** What a save would change, before it does. */
export function SettingsDiff({ edits, options, onSave, onClose }: SettingsDiffProps) {
  const { t } = useTranslation();
  const words = useSettingLabels();
  const lines = useChangeLines();
  const wasSet = new Map(options.map(({ key, isSet }) => [key, isSet === true]));
  const prices = usePriceChanges({ edits, options });
  // Prices are shown as costs of calls; as stored settings where that is impossible.
  const listed = [...edits.drafts].filter(([key]) => prices === null || !isPriceKey(key));
  const changes = listed.map(([key, { base, text }]) => ({
    key,
    lines: lines.ofDraft(key, base.value, text, wasSet.get(key) === true),
  }));
  const hasPrices = prices !== null && listed.length < edits.drafts.size;
  const showsEffect = hasPrices && prices.changes.length > 0;
  const count = changesOf(edits.drafts, options);
  return (
    <SidePanel
      title={t('settings.diff.title', { count })}
      takesFocus
      onClose={onClose}
      foot={
        <>
          <Button variant="subtle" data-danger className={styles.first} onClick={edits.dropAll}>
            {t('settings.diff.drop_all')}
          </Button>
          <Button variant="filled" loading={edits.isSaving} onClick={onSave}>
            {t('settings.diff.save', { count })}
          </Button>
        </>
      }
    >
      {edits.drafts.size === 0 && <p className={styles.empty}>{t('settings.nothing_changed')}</p>}
      {hasPrices && <PriceChanges edits={edits} {...prices} />}
      {showsEffect && (
        <TextInput
          label={t('settings.diff.note')}
          maxLength={longestNote}
          autoComplete="off"
          value={edits.note}
          onChange={(event) => edits.onNote(event.currentTarget.value)}
        />
      )}
      {(['LongInputPrice', 'TierPrice', 'VideoPrice', 'ToolPrice', 'FineTuningPrice'] as const).some((key) => edits.drafts.has(key)) &&
        !showsEffect && <PriceEffect edits={edits} />}
      {changes.map((change) => (
        <section key={change.key} className={styles.change}>
          <header className={`${layout.row} ${layout.spread} ${styles.what}`}>
            <h3>{words.name(change.key)}</h3>
            <Button variant="subtle" onClick={() => edits.drop(change.key)}>
              {t('settings.drop')}
            </Button>
          </header>
          <ChangeLines lines={change.lines} />
        </section>
      ))}
    </SidePanel>
  );
}
