import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { editOf, type PriceEdit, typedNumber } from './price-edits.ts';
import type { CellView, PriceField, PriceRow } from './price-rows.ts';

interface PriceTypingProps {
  row: PriceRow;
  /** As it is saved. */
  saved: PriceRow;
  view: CellView;
  onEdit: (edit: PriceEdit) => void;
}

/** What becomes of the text of a cell: an edit of its model, or what is wrong about it. */
export function usePriceTyping({ row, saved, view, onEdit }: PriceTypingProps) {
  const { t } = useTranslation();
  const [fault, setFault] = useState<{ field: PriceField; text: string }>();

  /** False: nothing was edited. */
  function handleTyped(field: PriceField, text: string): boolean {
    const value = typedNumber(text);
    const edit = value === null ? value : editOf(row, { field, value }, view, saved);
    if (edit === null || edit === 'zero_input') {
      setFault({ field, text: t(edit === null ? 'prices.not_number' : 'prices.zero_input') });
      return false;
    }
    setFault(undefined);
    onEdit(edit);
    return true;
  }
  return { fault, handleTyped, handleReverted: () => setFault(undefined) };
}
