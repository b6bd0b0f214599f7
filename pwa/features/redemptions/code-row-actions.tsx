import { useTranslation } from 'react-i18next';
import type { Redemption } from '#shared/redemptions.ts';
import { RowActions } from '#pwa/records/row-actions.tsx';
import { wholeCode } from './code-key.ts';
import { verbOf } from './code-labels.tsx';

interface CodeRowActionsProps {
  code: Redemption;
  /** Failures have been reported when it ends. */
  onToggle: (code: Redemption) => Promise<void>;
  onRemove: (code: Redemption) => void;
}

export function CodeRowActions({ code, onToggle, onRemove }: CodeRowActionsProps) {
  const { t } = useTranslation();
  const { id, name } = code;
  const verb = verbOf(code);
  return (
    <RowActions
      copy={{
        secret: wholeCode(code),
        label: t('redemptions.action.copy_named', { name, id }),
        lostText: code.key === '' ? t('redemptions.key_lost') : undefined,
      }}
      toggleLabel={verb && t(`redemptions.action.${verb}`)}
      onToggle={() => onToggle(code)}
      removeLabel={t('redemptions.action.delete_named', { name, id })}
      onRemove={() => onRemove(code)}
    />
  );
}
