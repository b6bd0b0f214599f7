import { Button } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { saveText } from '#pwa/ui/controls/save-text.ts';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import { type MenuAction, RowMenu } from '#pwa/ui/list/row-menu.tsx';
import { catalogueEdits, readCatalogue } from './price-catalogue.ts';
import { isSamePrices, largestFile, priceFileText, readPriceFile } from './price-files.ts';
import { editedTextsOfMany } from './price-edits.ts';
import type { PriceKey, PriceMaps } from './price-rows.ts';
import styles from './price-table.module.css';

export interface PriceSourcesProps {
  maps: PriceMaps;
  /** Models that are called and have no price. */
  unpriced: readonly string[];
  quotaPerUnit: number;
  /** What else is done to the table as a whole; the last takes everything back. */
  actions: readonly MenuAction[];
  /** Everything is in the menu. */
  isShort?: boolean;
  /** Typed like any other edit: nothing is saved before its changes were looked at. */
  onTexts: (texts: ReadonlyMap<PriceKey, string>) => void;
}

/** Sources of prices besides the keyboard: a file, and the providers' list prices. */
export function PriceSources({ maps, unpriced, quotaPerUnit, actions, isShort = false, onTexts }: PriceSourcesProps) {
  const { t } = useTranslation();
  const picker = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();

  async function handleFile(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    const texts = file.size > largestFile ? undefined : readPriceFile(await file.text());
    setProblem(texts === undefined ? t('prices.file.broken', { name: file.name }) : undefined);
    if (texts === undefined) return;
    if (isSamePrices(texts, maps)) toastSuccess(t('prices.file.same', { name: file.name }));
    else onTexts(texts);
  }

  async function handleCatalogue(): Promise<void> {
    const edits = catalogueEdits(unpriced, await readCatalogue(), quotaPerUnit);
    setProblem(edits.size === 0 ? t('prices.catalogue.none') : undefined);
    if (edits.size === 0) return;
    onTexts(editedTextsOfMany(maps, edits));
    toastSuccess(t('prices.catalogue.filled', { count: edits.size }));
  }
  return (
    <>
      {!isShort && (
        <Button disabled={unpriced.length === 0} onClick={() => void handleCatalogue()}>
          {t('prices.catalogue.apply')}
        </Button>
      )}
      <RowMenu
        label={t('prices.more')}
        width={220}
        content={() => ({
          actions: [
            ...(isShort
              ? [
                  {
                    key: 'catalogue',
                    label: t('prices.catalogue.apply'),
                    isDisabled: unpriced.length === 0,
                    onClick: () => void handleCatalogue(),
                  },
                ]
              : []),
            ...actions.slice(0, -1),
            { key: 'export', label: t('prices.file.export'), onClick: () => saveText('prices.json', priceFileText(maps)) },
            { key: 'import', label: t('prices.file.import'), onClick: () => picker.current?.click() },
            ...actions.slice(-1),
          ],
        })}
      />
      <input
        ref={picker}
        type="file"
        hidden
        accept="application/json,.json"
        aria-label={t('prices.file.import')}
        onChange={(event) => {
          void handleFile(event.currentTarget.files?.[0]);
          // The same file may be chosen again.
          event.currentTarget.value = '';
        }}
      />
      {problem !== undefined && (
        <span className={styles.problem} role="alert">
          {problem}
        </span>
      )}
    </>
  );
}
