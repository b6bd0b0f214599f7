import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { siteAddress, useSiteStatus } from '#pwa/api/site-status.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './first-call.module.css';
import type { Guide } from './use-guide.ts';

/** Symptoms of a caller who does not reach this installation, or not as intended. */
export function TroubleTable({ guide }: { guide: Guide }) {
  const { t } = useTranslation();
  const baseUrl = `${siteAddress(useSiteStatus())}/v1`;
  if (guide.token === undefined) return null;
  const { channel } = guide;
  const group = guide.token.group || guide.user.group;
  return (
    <section className={styles.part} aria-labelledby="guide-trouble">
      <header className={`${layout.baseline} ${styles.partHead}`}>
        <h2 id="guide-trouble">{t('guide.trouble.title')}</h2>
      </header>
      <table className={styles.trouble}>
        <thead>
          <tr>
            <th scope="col">{t('guide.trouble.see')}</th>
            <th scope="col">{t('guide.trouble.means')}</th>
            <th scope="col">{t('guide.trouble.do')}</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td>
              <code>401 key_invalid</code>
            </td>
            <td>{t('guide.trouble.key')}</td>
            <td>{t('guide.trouble.key_do')}</td>
          </tr>
          <tr>
            <td>
              <code>404 Invalid URL</code>
            </td>
            <td>{t('guide.trouble.path')}</td>
            <td>
              {t('guide.trouble.path_do')} <code>{baseUrl}</code>
            </td>
          </tr>
          <tr>
            <td>
              <code>404 model_not_found</code>
            </td>
            <td>{t('guide.trouble.model', { group })}</td>
            <td>
              {channel === undefined ? (
                t('guide.trouble.model_ask')
              ) : (
                <Link to="/channel/edit/$id" params={{ id: String(channel.id) }} search={{ next: 'first-call' }}>
                  {t('guide.trouble.model_do', { channel: channel.name })}
                </Link>
              )}
            </td>
          </tr>
          <tr>
            <td>{t('guide.trouble.nothing')}</td>
            <td>{t('guide.trouble.nothing_means')}</td>
            <td>
              {guide.isAdmin ? (
                <Link to="/setting" search={{ field: 'ServerAddress' }}>
                  {t('guide.trouble.nothing_do')}
                </Link>
              ) : (
                t('guide.trouble.nothing_ask')
              )}
            </td>
          </tr>
        </tbody>
      </table>
    </section>
  );
}
