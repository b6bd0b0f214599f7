import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { registrationClosed, useSiteStatus } from '#pwa/api/site-status.ts';
import { Glyph } from '#pwa/ui/controls/glyph.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { AskAutoDisable, useAutoDisableQuestion } from './ask-auto-disable.tsx';
import styles from './first-call.module.css';
import { firstNames } from './first-names.ts';
import type { Guide } from './use-guide.ts';

/** What is worth doing after the first call; each line leaves when it is done. */
export function NextSteps({ guide }: { guide: Guide }) {
  const { t } = useTranslation();
  const status = useSiteStatus();
  const autoDisable = useAutoDisableQuestion(guide.isAdmin);
  if (!guide.isAdmin) return null;
  const isSelfUse = status?.self_use_mode_enabled === true;
  const lines = [
    guide.channelCount < 2 && { key: 'second_channel', to: '/channel/add', search: {}, values: {} },
    guide.unpriced.length > 0 &&
      !isSelfUse && {
        key: 'prices',
        to: '/setting',
        search: { field: 'ModelRatio' },
        values: { count: guide.unpriced.length, names: firstNames(guide.unpriced, t) },
      },
    !isSelfUse && registrationClosed(status) === 'closed' && { key: 'people', to: '/user', search: {}, values: {} },
  ].filter((line) => line !== false);
  if (lines.length === 0 && !autoDisable.isOpen) return null;
  return (
    <section className={styles.part} aria-labelledby="guide-next">
      <header className={`${layout.baseline} ${styles.partHead}`}>
        <h2 id="guide-next">{t('guide.next.title')}</h2>
        <span className={`${typography.note} ${styles.note}`}>{t('guide.next.leave')}</span>
      </header>
      <ul className={styles.todo}>
        {autoDisable.isOpen && <AskAutoDisable onRefuse={autoDisable.refuse} />}
        {lines.map(({ key, to, search, values }) => (
          <li key={key}>
            <Glyph name="diamond" />
            <b>{t(`guide.next.${key}`, values)}</b>
            <span className={`${typography.note} ${styles.todoText}`}>{t(`guide.next.${key}_text`, values)}</span>
            <Button renderRoot={(attributes) => <Link {...attributes} to={to} search={search} />}>{t(`guide.next.${key}_do`)}</Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
