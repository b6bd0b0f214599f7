import { ActionIcon } from '@mantine/core';
import { Fragment, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PriceHistory } from '#pwa/records/prices/price-history.tsx';
import { FormDialog } from '#pwa/ui/frame/form-dialog.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { Checkbox } from '#pwa/ui/list/checkbox.tsx';
import control from '#pwa/ui/styles/control.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { PriceCell } from './price-cell.tsx';
import { isOpen, type PriceEdit, priceGroups, shownNumber, typedRatio } from './price-edits.ts';
import { cellOf, type CellView, type PriceRow as Row } from './price-rows.ts';
import styles from './price-table.module.css';
import { usePriceTyping } from './use-price-typing.ts';

export interface PriceRowProps {
  row: Row;
  /** As it is saved. */
  saved: Row;
  view: CellView;
  mayWrite: boolean;
  isTicked: boolean;
  /** Next to the name: a price of another kind, calls that were refused. */
  note: string | undefined;
  onTick: () => void;
  onEdit: (edit: PriceEdit) => void;
  /** It has a price or was added here, and may be edited. */
  isRemovable: boolean;
  onRemove: () => void;
}

/** A model's prices, each typed over where it stands. */
export function PriceRow({ row, saved, view, mayWrite, isTicked, note, onTick, onEdit, isRemovable, onRemove }: PriceRowProps) {
  const { t } = useTranslation();
  const typing = usePriceTyping({ row, saved, view, onEdit });
  return (
    // Without its prices it may leave the table: the next one has the focus then.
    <li className={styles.row} data-row-key={row.model} tabIndex={-1} data-selected={isTicked || undefined}>
      <Checkbox label={t('prices.tick', { model: row.model })} isTicked={isTicked} onChange={onTick} />
      <ModelName model={row.model} note={note} />
      {priceGroups.map(({ name, fields }) => (
        <Fragment key={name}>
          {fields.map((field, index) => (
            <PriceCell
              key={field}
              group={name}
              isFirst={index === 0}
              label={t(`prices.column.${view.unit}.${field}`)}
              model={row.model}
              value={cellOf(row, field, view)}
              was={cellOf(saved, field, view)}
              ratioOf={(text) => typedRatio(row, field, text, view)}
              isPrice={field === 'price' || view.unit === 'usd'}
              note={field === 'output' && row.isCompletionFixed ? t('prices.fixed', { factor: shownFactor(row) }) : undefined}
              disabled={!mayWrite || !isOpen(row, field)}
              fault={typing.fault?.field === field ? typing.fault.text : undefined}
              onTyped={(text) => typing.handleTyped(field, text)}
              onReverted={typing.handleReverted}
            />
          ))}
        </Fragment>
      ))}
      <ActionIcon
        variant="subtle"
        data-danger
        disabled={!isRemovable}
        aria-label={t('prices.remove', { model: row.model })}
        onClick={onRemove}
      >
        <Icon name="trash" />
      </ActionIcon>
    </li>
  );
}

/** Opens the model's earlier prices. */
function ModelName({ model, note }: { model: string; note: string | undefined }) {
  const { t } = useTranslation();
  const [isShown, setShown] = useState(false);
  return (
    <>
      <button
        type="button"
        className={`${control.bare} ${typography.ellipsis} ${styles.model}`}
        title={model}
        aria-label={t('prices.history', { model })}
        onClick={() => setShown(true)}
      >
        {model}
        {note !== undefined && <small>{note}</small>}
      </button>
      {isShown && (
        <FormDialog title={model} onClose={() => setShown(false)}>
          <PriceHistory model={model} />
        </FormDialog>
      )}
    </>
  );
}

export function shownFactor(row: Row): string {
  return shownNumber(row.completionIs, { isPrice: false });
}
