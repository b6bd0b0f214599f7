import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Token } from '#shared/tokens.ts';
import { useFormat } from '#pwa/ui/format-context.ts';
import { StatusMark } from '#pwa/ui/status-mark.tsx';
import { changesBetween, type ComparedField } from './token-form.ts';
import { TokenMark, useExpiryText } from './token-words.tsx';
import styles from './tokens.module.css';

interface TokenConflictProps {
  before: Token;
  theirs: Token;
  onTakeTheirs: () => void;
  /** Saves what was entered here on top of theirs; what was not touched here stays as they set it. */
  onKeepMine: () => void;
}

/** Somebody else saved this token while the form was open: what changed, and the two ways on. */
export function TokenConflict({ before, theirs, onTakeTheirs, onKeepMine }: TokenConflictProps) {
  const { t } = useTranslation();
  const show = useShower();
  const changes = changesBetween(before, theirs);
  return (
    <section className={styles.conflict} role="alert">
      <StatusMark status="conflict" strong>
        {t('tokens.conflict.title')}
      </StatusMark>
      <p>{t('tokens.conflict.text')}</p>
      {changes.length > 0 && (
        <dl className={styles.changes}>
          {changes.map((field) => (
            <div key={field}>
              <dt>{t(`tokens.field.${field}`)}</dt>
              <dd>
                <s>{show(field, before)}</s> → {show(field, theirs)}
              </dd>
            </div>
          ))}
        </dl>
      )}
      <div className={styles.keyActions}>
        <Button onClick={onTakeTheirs}>{t('tokens.conflict.reload')}</Button>
        <Button onClick={onKeepMine}>{t('tokens.conflict.keep')}</Button>
      </div>
    </section>
  );
}

function useShower() {
  const { t } = useTranslation();
  const format = useFormat();
  const expiry = useExpiryText();
  return (field: ComparedField, token: Token) => {
    if (field === 'remain_quota') return token.unlimited_quota ? t('tokens.unlimited') : format.quota(token.remain_quota);
    if (field === 'unlimited_quota') return t(token.unlimited_quota ? 'tokens.unlimited' : 'tokens.limited');
    if (field === 'expired_time') return expiry(token.expired_time);
    if (field === 'model_limits_enabled') return t(token.model_limits_enabled ? 'tokens.limited' : 'tokens.any_model');
    if (field === 'status') return <TokenMark status={token.status} />;
    if (field === 'group') return token.group === '' ? t('tokens.own_group') : token.group;
    return token[field] === '' ? '—' : token[field];
  };
}
