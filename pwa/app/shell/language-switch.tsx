import { useTranslation } from 'react-i18next';
import { chooseLanguage, currentLanguage } from '#pwa/i18n/setup.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { PlainIconButton } from '#pwa/ui/controls/plain-button.tsx';

/** There are two languages: one press goes to the other, and its name is written in it. */
export function LanguageSwitch() {
  const { t } = useTranslation();
  const other = currentLanguage() === 'zh' ? 'en' : 'zh';
  const name = t(`frame.language.${other}`);
  return (
    <PlainIconButton label={name} title={name} lang={other === 'zh' ? 'zh-CN' : 'en'} onClick={() => void chooseLanguage(other)}>
      <Icon name="language" />
    </PlainIconButton>
  );
}
