import { useTranslation } from 'react-i18next';

const known: ReadonlySet<string> = new Set(['alipay', 'wxpay']);

/** A way of paying as people call it; one of a newer server by its own name. */
export function useMethodName(): (method: string) => string {
  const { t } = useTranslation();
  return (method) => (known.has(method) ? t(`wallet.method.${method}`) : method);
}
