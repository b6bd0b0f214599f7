import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { PriceHistory } from '#pwa/records/prices/price-history.tsx';
import { Fold } from '#pwa/ui/form/fold.tsx';
import { EditLabel } from '#pwa/ui/form/edit-label.tsx';
import { BottomSheet } from '#pwa/ui/frame/bottom-sheet.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { shownFactor } from './price-row.tsx';
import { isOpen, isSet, type PriceEdit, priceGroups, shownNumber } from './price-edits.ts';
import { cellOf, type CellView, isSamePrice, type PriceField, type PriceRow } from './price-rows.ts';
import styles from './price-sheet.module.css';
import { usePriceTyping } from './use-price-typing.ts';

interface PriceSheetProps {
  row: PriceRow;
  /** As it is saved. */
  saved: PriceRow;
  view: CellView;
  mayWrite: boolean;
  note: string | undefined;
  /** Values that a save would change, of all models. */
  changes: number;
  onEdit: (edit: PriceEdit) => void;
  isRemovable: boolean;
  onRemove: () => void;
  onReview: () => void;
  onClose: () => void;
}

type GroupName = (typeof priceGroups)[number]['name'];

/** Prices of one model on a phone or a tablet: groups with values as fields, others on demand. */
export function PriceSheet({
  row,
  saved,
  view,
  mayWrite,
  note,
  changes,
  onEdit,
  isRemovable,
  onRemove,
  onReview,
  onClose,
}: PriceSheetProps) {
  const { t } = useTranslation();
  const typing = usePriceTyping({ row, saved, view, onEdit });
  // What was open stays: a field that is emptied does not leave under the finger.
  const [opened, setOpened] = useState<readonly GroupName[]>(() =>
    priceGroups.filter(({ fields }) => fields.some((field) => isSet(row, field) || isSet(saved, field))).map(({ name }) => name),
  );
  const [focused, setFocused] = useState<GroupName>();
  const isEmpty = opened.length === 0;
  const shownGroups: readonly GroupName[] = isEmpty ? ['text'] : opened;
  return (
    <BottomSheet opened title={row.model} onClose={onClose} foot={<Foot {...{ changes, onReview, onClose }} />}>
      <UnitLine unit={view.unit} note={note} isPerCall={row.set.ModelPrice !== undefined} />
      {priceGroups.map(({ name, fields }) => {
        const canType = mayWrite && fields.some((field) => isOpen(row, field));
        return shownGroups.includes(name) ? (
          <section key={name} className={styles.group} aria-label={t(`prices.group.${name}`)}>
            <h3>{t(`prices.group.${name}`)}</h3>
            <div className={styles.fields}>
              {fields.map((field, index) => (
                <Field
                  key={field}
                  field={field}
                  {...{ row, saved, view, mayWrite }}
                  takesFocus={focused === name && index === 0}
                  fault={typing.fault?.field === field ? typing.fault.text : undefined}
                  onTyped={(text) => typing.handleTyped(field, text)}
                  onReverted={typing.handleReverted}
                />
              ))}
            </div>
          </section>
        ) : (
          <UnsetGroup
            key={name}
            group={t(`prices.group.${name}`)}
            onAdd={
              canType
                ? () => {
                    setOpened([...shownGroups, name]);
                    setFocused(name);
                  }
                : undefined
            }
          />
        );
      })}
      {row.set.ModelPrice !== undefined && <p className={`${typography.compact} ${styles.hint}`}>{t('prices.call_wins')}</p>}
      <Fold title={t('price-lines.history.title')}>{() => <PriceHistory model={row.model} isTitled={false} />}</Fold>
      {isRemovable && (
        <RemoveButton
          onRemove={() => {
            onRemove();
            onClose();
          }}
        />
      )}
    </BottomSheet>
  );
}

function Foot({ changes, onReview, onClose }: Pick<PriceSheetProps, 'changes' | 'onReview' | 'onClose'>) {
  const { t } = useTranslation();
  return (
    <>
      <Button onClick={onClose}>{t('prices.done')}</Button>
      {changes > 0 && (
        <Button
          variant="filled"
          onClick={() => {
            onClose();
            onReview();
          }}
        >
          {t('settings.diff.review', { count: changes })}
        </Button>
      )}
    </>
  );
}

/** Unit of the prices, or of a price per call alone. */
function UnitLine({ unit, note, isPerCall }: { unit: CellView['unit']; note: string | undefined; isPerCall: boolean }) {
  const { t } = useTranslation();
  const parts = [isPerCall && note !== undefined ? undefined : t(`prices.unit_of.${unit}`), note];
  return <p className={`${typography.compact} ${styles.unit}`}>{parts.filter((part) => part !== undefined).join(' · ')}</p>;
}

function RemoveButton({ onRemove }: { onRemove: () => void }) {
  const { t } = useTranslation();
  return (
    <Button variant="subtle" data-danger className={styles.remove} onClick={onRemove}>
      {t('prices.remove_short')}
    </Button>
  );
}

function UnsetGroup({ group, onAdd }: { group: string; onAdd: (() => void) | undefined }) {
  const { t } = useTranslation();
  return (
    <div className={`${layout.spread} ${styles.unset}`}>
      <span>
        {group} <small>{t('prices.not_set')}</small>
      </span>
      {onAdd !== undefined && (
        <Button variant="subtle" leftSection={<Icon name="plus" />} aria-label={t('prices.add_group', { group })} onClick={onAdd}>
          {t('prices.add_kind')}
        </Button>
      )}
    </div>
  );
}

interface FieldProps extends Pick<PriceSheetProps, 'row' | 'saved' | 'view' | 'mayWrite'> {
  field: PriceField;
  takesFocus: boolean;
  fault: string | undefined;
  onTyped: (text: string) => boolean;
  onReverted: () => void;
}

/** Leaving and Enter store the typed value; Esc restores the old one, and closes the sheet if nothing was typed. */
function Field({ field, row, saved, view, mayWrite, takesFocus, fault, onTyped, onReverted }: FieldProps) {
  const { t } = useTranslation();
  const [text, setText] = useState<string>();
  const isPrice = field === 'price' || view.unit === 'usd';
  const [value, was] = [cellOf(row, field, view), cellOf(saved, field, view)];
  const exact = value === undefined ? '' : String(value);
  const isChanged = !isSamePrice(value, was);
  const isFixed = field === 'output' && row.isCompletionFixed;
  function handleLeave(): void {
    if (text !== undefined && onTyped(text)) setText(undefined);
  }
  return (
    <TextInput
      label={
        <EditLabel was={isChanged ? (was === undefined ? t('prices.not_set') : shownNumber(was, { isPrice })) : undefined}>
          {t(`prices.column.${view.unit}.${field}`)}
        </EditLabel>
      }
      aria-label={`${row.model} ${t(`prices.column.${view.unit}.${field}`)}`}
      description={isFixed ? t('prices.fixed', { factor: shownFactor(row) }) : undefined}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      data-changed={isChanged || undefined}
      placeholder={t('prices.not_set')}
      inputMode="decimal"
      autoComplete="off"
      autoFocus={takesFocus}
      disabled={!mayWrite || !isOpen(row, field)}
      error={text === undefined ? undefined : fault}
      value={text ?? shownNumber(value, { isPrice })}
      // All digits are there for who edits them.
      onFocus={(event) => {
        const input = event.currentTarget;
        if (text === undefined) flushSync(() => setText(exact));
        input.select();
      }}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={() => {
        if (text === exact) setText(undefined);
        else handleLeave();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') {
          event.preventDefault();
          event.currentTarget.blur();
        }
        if (event.key !== 'Escape' || text === exact) return;
        event.preventDefault();
        onReverted();
        setText(exact);
      }}
    />
  );
}
