import { useTranslation } from 'react-i18next';
import type { OperatorTodo } from '#shared/dashboard.ts';
import type { Format } from '#pwa/ui/billing/format.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { TodoLine } from './todo-line.tsx';

/** Models without a price, whose calls are refused, or charged by a default price in self-use mode. */
export function UnpricedLine({ todo, maySetPrices }: { todo: OperatorTodo; maySetPrices: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  const count = todo.unpriced_count ?? todo.unpriced.length;
  const { unpriced_ratio: ratio } = todo;
  const isCharged = ratio !== undefined;
  const price = format.usd(((ratio ?? 0) * 1_000_000) / format.quotaPerUnit);
  return (
    <TodoLine
      status={isCharged ? 'look' : 'note'}
      what={isCharged ? t('home.todo.unpriced_charged', { count, price }) : t('home.todo.unpriced', { count })}
      why={unpricedText(todo.unpriced, format)}
      // Administrators who may not set prices see the calls instead.
      {...(maySetPrices
        ? { to: '/setting', search: { tab: 'prices' } }
        : { to: '/log', search: isCharged ? {} : { result: 'refused', range: 'week' } })}
    />
  );
}

/** The first names; those with calls show their count. */
function unpricedText(unpriced: OperatorTodo['unpriced'], format: Format): string {
  const shown = unpriced.slice(0, 5).map(({ model, count }) => (count === 0 ? model : `${model} × ${format.count(count)}`));
  return [...shown, ...(unpriced.length > shown.length ? ['…'] : [])].join(' · ');
}
