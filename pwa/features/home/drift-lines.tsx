import { useTranslation } from 'react-i18next';
import type { OperatorTodo } from '#shared/dashboard.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { TodoLine } from './todo-line.tsx';

interface DriftLinesProps {
  drifts: NonNullable<OperatorTodo['drifts']>;
  maySetPrices: boolean;
}

/** Models whose prices differ from the costs that their provider reports. */
export function DriftLines({ drifts, maySetPrices }: DriftLinesProps) {
  const { t } = useTranslation();
  const format = useFormat();
  return drifts.map(({ channel, name, model, calls, ours, reported }) => (
    <TodoLine
      key={`${channel} ${model}`}
      status="look"
      what={t('home.todo.drift', { model })}
      why={t('home.todo.drift_why', { name, calls: format.count(calls), reported: format.price(reported), ours: format.price(ours) })}
      {...(maySetPrices ? { to: '/setting', search: { tab: 'prices' } } : { to: '/log', search: { model } })}
    />
  ));
}
