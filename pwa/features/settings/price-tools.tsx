import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { optionApi } from '#shared/options.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { optionsQuery } from '#pwa/api/options.ts';
import { useNeedsConnection } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { toastFailure } from '#pwa/ui/frame/toast.ts';
import type { MenuAction } from '#pwa/ui/list/row-menu.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import type { PriceUnit } from './price-rows.ts';
import { PriceSources, type PriceSourcesProps } from './price-sources.tsx';
import styles from './price-table.module.css';

export interface PriceFilter {
  text: string;
  show: 'all' | 'unpriced' | 'changed';
  unit: PriceUnit;
}

interface PriceToolsProps extends Omit<PriceSourcesProps, 'actions' | 'isShort'> {
  filter: PriceFilter;
  counts: Record<PriceFilter['show'], number>;
  isKnown: (model: string) => boolean;
  mayWrite: boolean;
  /** Undefined: rows have their boxes anyway. */
  onTicking: (() => void) | undefined;
  isTicking: boolean;
  onJson: () => void;
  onFilter: (filter: PriceFilter) => void;
  onAdd: (model: string) => void;
}

/** What is shown of the table, in which unit; and what is done to it as a whole. */
export function PriceTools({
  filter,
  counts,
  isKnown,
  mayWrite,
  onTicking,
  isTicking,
  onJson,
  onFilter,
  onAdd,
  ...sources
}: PriceToolsProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const [isAdding, setAdding] = useState(false);
  const reset = useResetRatios();
  const actions = usePriceActions({ filter, onTicking, isTicking, onJson, onFilter, onAdding: () => setAdding(true), onReset: reset.ask });
  return (
    <>
      <div className={`${layout.row} ${layout.wrap} ${styles.tools}`}>
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
        <Segments
          label={t('settings.filter.label')}
          value={filter.show}
          options={(['all', 'unpriced', 'changed'] as const).map((value) => ({
            value,
            label: t(`prices.show.${value}`, { count: counts[value] }),
          }))}
          onChange={(show) => onFilter({ ...filter, show })}
        />
        {!isPhone && (
          <Segments
            label={t('prices.unit')}
            value={filter.unit}
            options={(['usd', 'ratio'] as const).map((value) => ({ value, label: t(`prices.units.${value}`) }))}
            onChange={(unit) => onFilter({ ...filter, unit })}
          />
        )}
        <span className={styles.sources}>
          {(onTicking === undefined || !mayWrite) && (
            <Button renderRoot={(attributes) => <Link {...attributes} to="/price-updates" />}>{t('prices.updates')}</Button>
          )}
          {mayWrite && <PriceSources {...sources} actions={actions} isShort={onTicking !== undefined} />}
        </span>
      </div>
      {isAdding && (
        <div className={`${layout.row} ${layout.wrap} ${styles.tools}`}>
          <AddModel
            isKnown={isKnown}
            onAdd={(model) => {
              setAdding(false);
              onAdd(model);
            }}
          />
          <Button variant="subtle" onClick={() => setAdding(false)}>
            {t('common.action.cancel')}
          </Button>
        </div>
      )}
      {reset.dialog}
    </>
  );
}

interface ActionsProps extends Pick<PriceToolsProps, 'filter' | 'onTicking' | 'isTicking' | 'onJson' | 'onFilter'> {
  onAdding: () => void;
  onReset: () => void;
}

function usePriceActions({ filter, onTicking, isTicking, onJson, onFilter, onAdding, onReset }: ActionsProps): MenuAction[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const isPhone = useIsPhone();
  const isOnline = useIsOnline();
  const needs = useNeedsConnection();
  return [
    { key: 'add', label: t('prices.add'), onClick: onAdding },
    ...(onTicking === undefined
      ? []
      : [{ key: 'updates', label: t('prices.updates'), onClick: () => void navigate({ to: '/price-updates' }) }]),
    // A phone has room for what is shown, not for how.
    ...(isPhone
      ? [
          {
            key: 'unit',
            label: t(`prices.show_unit.${filter.unit === 'usd' ? 'ratio' : 'usd'}`),
            onClick: () => onFilter({ ...filter, unit: filter.unit === 'usd' ? 'ratio' : 'usd' }),
          },
          { key: 'json', label: t('prices.show_json'), onClick: onJson },
        ]
      : []),
    ...(onTicking === undefined
      ? []
      : [{ key: 'select', label: t(isTicking ? 'prices.select_end' : 'prices.select'), onClick: onTicking }]),
    { key: 'reset', label: needs(t('prices.reset')), isDanger: true, isDisabled: !isOnline, onClick: onReset },
  ];
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
        autoFocus
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
function useResetRatios() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [isConfirming, setConfirming] = useState(false);
  const reset = useMutation({
    mutationFn: () => call(optionApi.resetModelRatio),
    meta: { quiet: true },
    onError: (error) => toastFailure(failureOf(error)),
    onSettled: async () => {
      setConfirming(false);
      await queryClient.invalidateQueries({ queryKey: optionsQuery.queryKey });
    },
  });
  return {
    ask: () => setConfirming(true),
    dialog: (
      <ConfirmDialog
        opened={isConfirming}
        title={t('prices.reset_title')}
        text={t('prices.reset_text')}
        confirmLabel={t('prices.reset')}
        isDanger
        onConfirm={() => reset.mutate()}
        onCancel={() => setConfirming(false)}
      />
    ),
  };
}
