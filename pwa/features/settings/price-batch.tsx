import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import { type BatchFill, typedNumber } from './price-edits.ts';
import styles from './price-table.module.css';

type FillKind = 'price' | 'ratio' | 'completion' | 'both';
const kinds: readonly FillKind[] = ['price', 'ratio', 'completion', 'both'];

interface PriceBatchProps {
  count: number;
  onFill: (fill: BatchFill) => void;
  onClear: () => void;
}

/** The same values for all models that are ticked. */
export function PriceBatch({ count, onFill, onClear }: PriceBatchProps) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<FillKind>('ratio');
  const [texts, setTexts] = useState({ first: '', second: '' });
  const [isSubmitted, setSubmitted] = useState(false);
  const [first, second] = [typedNumber(texts.first), typedNumber(texts.second)];
  const problemOf = (value: number | undefined | null): string | undefined =>
    value === undefined ? t('prices.value_missing') : value === null ? t('prices.not_number') : undefined;
  const problems = [problemOf(first), kind === 'both' ? problemOf(second) : undefined];

  function handleFill(): void {
    setSubmitted(true);
    const fill = fillOf(kind, first, second);
    if (fill === undefined) return;
    onFill(fill);
    setTexts({ first: '', second: '' });
    setSubmitted(false);
  }
  const field = (which: 'first' | 'second', name: string, problem: string | undefined) => (
    <TextInput
      aria-label={name}
      placeholder={name}
      inputMode="decimal"
      autoComplete="off"
      value={texts[which]}
      error={isSubmitted ? problem : undefined}
      onChange={(event) => setTexts({ ...texts, [which]: event.currentTarget.value })}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        handleFill();
      }}
    />
  );
  return (
    <div className={`${layout.wrap} ${styles.bulk}`} role="group" aria-label={t('prices.batch')}>
      <b role="status">{t('prices.selected', { count })}</b>
      <Segments
        label={t('prices.batch')}
        value={kind}
        options={kinds.map((value) => ({ value, label: t(`prices.fill.${value}`) }))}
        onChange={setKind}
      />
      {field('first', t(`prices.fill.${kind === 'both' ? 'ratio' : kind}`), problems[0])}
      {kind === 'both' && field('second', t('prices.fill.completion'), problems[1])}
      <Button onClick={handleFill}>{t('prices.fill_in', { count })}</Button>
      <Button variant="subtle" className={styles.push} onClick={onClear}>
        {t('prices.clear')}
      </Button>
    </div>
  );
}

function fillOf(kind: FillKind, first: number | undefined | null, second: number | undefined | null): BatchFill | undefined {
  if (first === undefined || first === null) return undefined;
  if (kind === 'price') return { price: first };
  if (kind === 'ratio') return { ratio: first };
  if (kind === 'completion') return { completion: first };
  return second === undefined || second === null ? undefined : { ratio: first, completion: second };
}
