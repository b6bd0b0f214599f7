import { useTranslation } from 'react-i18next';
import { parseMap } from '#shared/settings.ts';
import { Fold } from '#pwa/ui/form/fold.tsx';
import { JsonField } from '#pwa/ui/form/json-field.tsx';
import type { ControlProps } from './control-props.ts';

/** A map or a list as text, folded. */
export function JsonControl({ text, label, hint, error, disabled, isOpen, needsLook, onType }: ControlProps) {
  const { t } = useTranslation();
  const entries = parseMap(text);
  return (
    <Fold
      title={label}
      aside={entries === null ? undefined : t('settings.entries', { count: entries.size })}
      beginsOpen={isOpen}
      needsLook={needsLook}
    >
      <JsonField label={hint} value={text} onChange={onType} error={error} disabled={disabled} minRows={6} />
    </Fold>
  );
}
