import { useTranslation } from 'react-i18next';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './bills.module.css';

const providers = [
  { name: 'openai', address: 'https://platform.openai.com/usage' },
  { name: 'anthropic', address: 'https://platform.claude.com/usage' },
  { name: 'google', address: 'https://console.cloud.google.com/billing/reports' },
  { name: 'openrouter', address: 'https://openrouter.ai/activity' },
] as const;

/** Where each provider's export is, and which key its usage API takes. */
export function HowToExport({ note }: { note: string }) {
  const { t } = useTranslation();
  return (
    <section className={styles.guide} aria-label={t('bills.guide.title')}>
      <h2 className={typography.heading}>{t('bills.guide.title')}</h2>
      <p className={typography.secondary}>{note}</p>
      <dl>
        {providers.map(({ name, address }) => (
          <div key={name}>
            <dt>
              <a href={address} target="_blank" rel="noopener noreferrer">
                {t(`bills.provider.${name}`)}
              </a>
            </dt>
            <dd>{t(`bills.guide.${name}`)}</dd>
          </div>
        ))}
        <div>
          <dt>{t('bills.provider.other')}</dt>
          <dd>{t('bills.guide.other')}</dd>
        </div>
      </dl>
    </section>
  );
}
