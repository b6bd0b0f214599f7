import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { TextArea } from '#pwa/ui/form/text-area.tsx';
import typography from '#pwa/ui/styles/typography.module.css';

const below = ['label', 'input', 'error', 'description'] as const;

/** Addresses from which a token may be used. */
export function AddressesField(props: Partial<ComponentProps<typeof TextArea>>) {
  const { t } = useTranslation();
  return (
    <TextArea
      label={t('tokens.form.ips')}
      description={t('tokens.form.ips_hint')}
      inputWrapperOrder={[...below]}
      inputClassName={typography.mono}
      minRows={2}
      maxRows={8}
      spellCheck={false}
      autoCapitalize="none"
      {...props}
    />
  );
}
