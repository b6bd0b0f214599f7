import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Redemption } from '#shared/redemptions.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { CopyText } from '#pwa/ui/controls/copy-text.tsx';
import { SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { wholeCode } from './code-key.ts';
import { CodeMark, useExpiryText } from './code-labels.tsx';
import styles from './redemptions.module.css';

/** Status, code and who has redeemed it, above the form. */
export function CodeStanding({ code }: { code: Redemption }) {
  const { t } = useTranslation();
  const format = useFormat();
  const expiry = useExpiryText();
  const key = wholeCode(code);
  return (
    <div className={`${layout.stackMd} ${styles.standing}`}>
      <CodeMark code={code} />
      <SummaryList
        items={[
          {
            name: t('redemptions.panel.key'),
            value:
              key === undefined ? (
                <span className={typography.mono}>{code.key === '' ? t('redemptions.key_lost') : code.key}</span>
              ) : (
                <CopyText mono text={key} label={t('redemptions.action.copy_named', { name: code.name, id: code.id })} />
              ),
          },
          { name: t('redemptions.column.quota'), value: format.quota(code.quota) },
          { name: t('redemptions.column.created'), value: format.dateTime(code.created_time) },
          { name: t('redemptions.panel.made_by'), value: code.user_name || t('redemptions.user', { id: code.user_id }) },
          { name: t('redemptions.column.expiry'), value: expiry(code.expired_time) },
          ...(code.used_user_id === 0
            ? []
            : [
                {
                  name: t('redemptions.column.used_by'),
                  value: (
                    <Link to="/user/edit/$id" params={{ id: String(code.used_user_id) }}>
                      {code.used_user_name || t('redemptions.user', { id: code.used_user_id })}
                    </Link>
                  ),
                },
                { name: t('redemptions.column.redeemed'), value: format.dateTime(code.redeemed_time) },
              ]),
        ]}
      />
    </div>
  );
}
