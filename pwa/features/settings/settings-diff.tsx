import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Option } from '#shared/options.ts';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { ChangeLines } from './change-lines.tsx';
import { changesOf } from './option-drafts.ts';
import { PriceChanges } from './price-changes.tsx';
import { priceKeys } from './price-rows.ts';
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

/** What a save would change, before it does. */
export function SettingsDiff({ edits, options, onSave, onClose }: SettingsDiffProps) {
  const { t } = useTranslation();
  const words = useSettingLabels();
  const lines = useChangeLines();
  const wasSet = new Map(options.map(({ key, isSet }) => [key, isSet === true]));
  const changes = [...edits.drafts].map(([key, { base, text }]) => ({
    key,
    lines: lines.ofDraft(key, base.value, text, wasSet.get(key) === true),
  }));
  const count = changesOf(edits.drafts);
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
      {changes.length === 0 && <p className={styles.empty}>{t('settings.nothing_changed')}</p>}
      {priceKeys.some((key) => edits.drafts.has(key)) && <PriceChanges edits={edits} options={options} />}
      {changes.map((change) => (
        <section key={change.key} className={styles.change}>
          <header className={styles.what}>
            <h3>{words.name(change.key)}</h3>
            <Button variant="subtle" onClick={() => edits.drop(change.key)}>
              {t('settings.drop')}
            </Button>
          </header>
          <ChangeLines lines={change.lines} all />
        </section>
      ))}
    </SidePanel>
  );
}
