import { useTranslation } from 'react-i18next';
import { siteAddress, useSiteStatus } from '#pwa/api/site-status.ts';
import { CopyText } from '#pwa/ui/controls/copy-text.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';

/** Where programs reach this installation. */
export function Address() {
  const { t } = useTranslation();
  const status = useSiteStatus();
  return (
    <Block title={t('home.welcome.base_url')} isQuiet>
      <CopyText text={`${siteAddress(status)}/v1`} label={t('home.welcome.base_url')} />
    </Block>
  );
}
