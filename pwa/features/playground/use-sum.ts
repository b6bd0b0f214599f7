import { useTranslation } from 'react-i18next';
import type { Answer, Conversation } from '#pwa/offline/conversation.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';

/** What the answers of a column, or of all, have cost so far; undefined: none was charged yet. */
export function useSum(conversation: Conversation, column?: number): string | undefined {
  const { t } = useTranslation();
  const format = useFormat();
  const charges = conversation.turns
    .flatMap(({ answers }) => (column === undefined ? answers : answers.slice(column, column + 1)).map(chargeOf))
    .filter((quota) => quota !== undefined);
  if (charges.length === 0) return undefined;
  const sum = charges.reduce((total, quota) => total + quota, 0);
  return t('playground.model.sum', { count: charges.length, cost: `${format.charge(sum)} ${format.unit || t('common.quota.name')}` });
}

/** Without what came back. */
function chargeOf(answer: Answer | null | undefined): number | undefined {
  return answer?.quota === undefined ? undefined : answer.quota - (answer.video?.refunded ?? 0);
}
