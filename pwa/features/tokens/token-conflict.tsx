import { useTranslation } from 'react-i18next';
import type { Token } from '#shared/tokens.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { RevisionConflict } from '#pwa/ui/form/revision-conflict.tsx';
import { changesBetween, type ComparedField, editBody, type TokenValues } from './token-form.ts';
import { useExpiryText } from './token-labels.tsx';

interface TokenConflictProps {
  before: Token;
  theirs: Token;
  values: TokenValues;
  isBusy: boolean;
  onReload: () => void;
  /** Saves what was entered here on top of theirs; what was not touched here stays as they set it. */
  onKeepMine: () => void;
}

/** Somebody else saved this token while the form was open. */
export function TokenConflict({ before, theirs, values, isBusy, onReload, onKeepMine }: TokenConflictProps) {
  const { t } = useTranslation();
  const show = useShower();
  const touched = editBody(values, before);
  const mine = { ...before, ...touched, allow_ips: touched.allow_ips ?? before.allow_ips };
  return (
    <RevisionConflict
      rows={changesBetween(before, theirs).map((field) => ({
        field,
        name: t(`tokens.field.${field}`),
        base: show(field, before),
        theirs: show(field, theirs),
        ...(field in touched ? { mine: show(field, mine) } : {}),
      }))}
      isBusy={isBusy}
      onReload={onReload}
      onKeepMine={onKeepMine}
    />
  );
}

function useShower(): (field: ComparedField, token: Token) => string {
  const { t } = useTranslation();
  const format = useFormat();
  const expiry = useExpiryText();
  return (field, token) => {
    if (field === 'remain_quota') return token.unlimited_quota ? t('tokens.unlimited') : format.quota(token.remain_quota);
    if (field === 'unlimited_quota') return t(token.unlimited_quota ? 'tokens.unlimited' : 'tokens.limited');
    if (field === 'expired_time') return expiry(token.expired_time);
    if (field === 'model_limits_enabled') return t(token.model_limits_enabled ? 'tokens.limited' : 'tokens.any_model');
    if (field === 'status') return t(token.status === 2 ? 'tokens.status.disabled' : 'tokens.status.enabled');
    if (field === 'group') return token.group === '' ? t('tokens.own_group') : token.group;
    return token[field];
  };
}
