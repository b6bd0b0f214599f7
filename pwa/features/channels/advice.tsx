import { useTranslation } from 'react-i18next';
import { adviceOf } from './test-advice.ts';

/** Advice after a failed test, if the cause is known. */
export function Advice({ message, className }: { message: string; className: string | undefined }) {
  const { t } = useTranslation();
  const advice = adviceOf(message);
  return advice === undefined ? null : <span className={className}>{t(`channels.test.advice.${advice}`)}</span>;
}
