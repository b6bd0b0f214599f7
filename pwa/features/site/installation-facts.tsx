import { useTranslation } from 'react-i18next';
import type { SiteStatus } from '#shared/site.ts';
import { siteAddress } from '#pwa/api/site-status.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { CopyText } from '#pwa/ui/controls/copy-text.tsx';
import styles from './site-content.module.css';

/** Ways to sign in, in the order of the sign-in's buttons. */
const ways = ['password_login', 'github_oauth', 'oidc_enabled', 'linuxdo_oauth', 'wechat_login', 'telegram_oauth'] as const;

export function InstallationFacts({ status }: { status: SiteStatus }) {
  const { t } = useTranslation();
  const format = useFormat();
  const open = ways.filter((way) => status[way]).map((way) => t(`site.way.${way}`));
  const facts = [
    [t('site.fact.name'), status.system_name || 'Tidegate'],
    [t('site.fact.version'), status.version],
    [t('site.fact.started'), format.dateTime(status.start_time)],
    // What clients are set up with.
    [t('site.fact.base_url'), <CopyText key="url" mono text={`${siteAddress(status)}/v1`} label={t('site.copy_base_url')} />],
    [t('site.fact.sign_in'), open.length === 0 ? t('site.none') : open.join(' · ')],
    [t('site.fact.human_check'), t(status.turnstile_check ? 'site.on' : 'site.off')],
    [t('site.fact.email_verification'), t(status.email_verification ? 'site.on' : 'site.off')],
  ] as const;
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
