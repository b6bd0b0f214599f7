import { useTranslation } from 'react-i18next';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { Tag } from '#pwa/ui/controls/tag.tsx';

/** What kind of installation this is, where it is a special one. */
export function ModeTag() {
  const { t } = useTranslation();
  const status = useSiteStatus();
  if (status?.self_use_mode_enabled === true) return <Tag>{t('frame.mode.self_use')}</Tag>;
  if (status?.demo_site_enabled === true) return <Tag>{t('frame.mode.demo')}</Tag>;
  return null;
}
