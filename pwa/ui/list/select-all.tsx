import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useFormat } from '#pwa/ui/billing/format-context.ts';

/** As many as one request may be about. */
export const mostSelected = 1000;

/** What "all" means beyond the page that is shown. */
export interface AllRows {
  total: number;
  isPending: boolean;
  /** Ticks them: the first thousand where there are more. */
  onTick: () => void;
}

/** Next to the number of ticked rows, while there are more. */
export function SelectAll({ total, isPending, onTick }: AllRows) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <Button variant="subtle" loading={isPending} onClick={onTick}>
      {t(total > mostSelected ? 'common.list.select_first' : 'common.list.select_all', {
        total: format.count(Math.min(total, mostSelected)),
      })}
    </Button>
  );
}
