import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { optionApi } from '#shared/options.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { optionsQuery } from '#pwa/api/options.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { toastFailure } from '#pwa/ui/frame/toast.ts';
import type { PriceUnit } from './price-rows.ts';
import styles from './price-table.module.css';

export interface PriceFilter {
  text: string;
  show: 'all' | 'unpriced' | 'changed';
  unit: PriceUnit;
}

interface PriceToolsProps {
  filter: PriceFilter;
  counts: Record<PriceFilter['show'], number>;
  isKnown: (model: string) => boolean;
  mayWrite: boolean;
  onFilter: (filter: PriceFilter) => void;
  onAdd: (model: string) => void;
  children: ReactNode;
}

/** What is shown of the table, in which unit; and what is done to it as a whole. */
export function PriceTools({ filter, counts, isKnown, mayWrite, onFilter, onAdd, children }: PriceToolsProps) {
  const { t } = useTranslation();
  // A phone shows prices first, and what is done to them all where it is asked for.
  const isPhone = useIsPhone();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <div className={styles.tools}>
        <TextInput
          type="search"
          className={styles.search}
          aria-label={t('prices.search')}
          placeholder={t('prices.search')}
          leftSection={<Icon name="search" />}
          autoComplete="off"
          value={filter.text}
          onChange={(event) => onFilter({ ...filter, text: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.preventDefault();
          }}
        />
        {mayWrite && isPhone && (
          <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {t('prices.tools')}
          </Button>
        )}
        <Segments
          label={t('settings.filter.label')}
          value={filter.show}
          options={(['all', 'unpriced', 'changed'] as const).map((value) => ({
            value,
            label: t(`prices.show.${value}`, { count: counts[value] }),
          }))}
          onChange={(show) => onFilter({ ...filter, show })}
        />
        <Segments
          label={t('prices.unit')}
          value={filter.unit}
          options={(['usd', 'ratio'] as const).map((value) => ({ value, label: t(`prices.units.${value}`) }))}
          onChange={(unit) => onFilter({ ...filter, unit })}
        />
      </div>
      {mayWrite && (isOpen || !isPhone) && (
        <div className={styles.tools}>
          <AddModel isKnown={isKnown} onAdd={onAdd} />
          {children}
          <ResetRatios />
        </div>
      )}
    </>
  );
}

function AddModel({ isKnown, onAdd }: Pick<PriceToolsProps, 'isKnown' | 'onAdd'>) {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string>();
  function handleAdd(): void {
    const model = name.trim();
    if (model === '') setProblem(t('prices.name_missing'));
    else if (isKnown(model)) setProblem(t('prices.name_known'));
    else {
      onAdd(model);
      setName('');
    }
  }
  return (
    <>
      <TextInput
        className={styles.search}
        aria-label={t('prices.name')}
        placeholder={t('prices.name')}
        maxLength={200}
        autoComplete="off"
        value={name}
        error={problem}
        onChange={(event) => {
          setName(event.currentTarget.value);
          setProblem(undefined);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          handleAdd();
        }}
      />
      <Button leftSection={<Icon name="plus" />} onClick={handleAdd}>
        {t('prices.add')}
      </Button>
    </>
  );
}

/** The ratios that this version comes with take the place of all model ratios, at once. */
function ResetRatios() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const reset = useMutation({
    mutationFn: () => call(optionApi.resetModelRatio),
    meta: { quiet: true },
    onError: (error) => toastFailure(failureOf(error)),
    onSettled: async () => {
      setAsked(false);
      await queryClient.invalidateQueries({ queryKey: optionsQuery.queryKey });
    },
  });
  return (
    <>
      <OnlineButton variant="subtle" data-danger className={styles.push ?? ''} onClick={() => setAsked(true)} label={t('prices.reset')} />
      <ConfirmDialog
        opened={isAsked}
        title={t('prices.reset_title')}
        text={t('prices.reset_text')}
        confirmLabel={t('prices.reset')}
        isDanger
        onConfirm={() => reset.mutate()}
        onCancel={() => setAsked(false)}
      />
    </>
  );
}
