import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type AppWishes, type KeyGrant, usualSeconds, usualUsd } from '#shared/app-authorizations.ts';
import { type Token, TokenStatus } from '#shared/tokens.ts';
import { type CallFailure, failureOf } from '#pwa/api/failure.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import type { KeyLimits, KeyLimitsPart } from '#pwa/records/key-limits.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { focusFirstError } from '#pwa/ui/form/field-errors.ts';
import { Fold } from '#pwa/ui/form/fold.tsx';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './apps.module.css';
import { appKeysQuery } from './queries.ts';

interface GrantFormProps {
  /** Of the application, as it calls itself. */
  name: string;
  /** Recognises keys that it has. */
  appRef: string;
  wishes?: AppWishes;
  Limits: KeyLimitsPart;
  isBusy: boolean;
  error: Error | null;
  onAllow: (grant: KeyGrant) => void;
  onRefuse: () => void;
  onSwitch: () => void;
}

const formId = 'app-grant';
const noWishes: AppWishes = {};

/** What the application may do, and the decision. */
export function GrantForm({ name, appRef, wishes = noWishes, Limits, ...decision }: GrantFormProps) {
  // A wish may lower the usual amount, not raise it.
  const usd = Math.min(wishes.usd ?? usualUsd, usualUsd);
  const [expiry] = useState(() => {
    const usual = Math.ceil(Date.now() / 1000) + usualSeconds;
    return wishes.expiry !== undefined && wishes.expiry > Date.now() / 1000 ? Math.min(wishes.expiry, usual) : usual;
  });
  return (
    <Limits name={name} usd={usd} expiry={expiry}>
      {(limits) => <Decision appRef={appRef} limits={limits} {...decision} />}
    </Limits>
  );
}

type DecisionProps = Omit<GrantFormProps, 'name' | 'wishes' | 'Limits'> & { limits: KeyLimits };

function Decision({ appRef, limits, isBusy, error, onAllow, onRefuse, onSwitch }: DecisionProps) {
  const { t } = useTranslation();
  const keys = useQuery(appKeysQuery).data?.filter(({ application }) => application?.ref === appRef) ?? [];
  const [latest] = keys;
  const canRenew = latest?.status === TokenStatus.enabled;
  const [chosen, setWay] = useState<KeyGrant['way']>();
  const way = latest === undefined ? 'new' : (chosen ?? (canRenew ? 'renew' : 'replace'));
  const failure = error === null ? undefined : failureOf(error);

  function handleSubmit(event: FormEvent): void {
    event.preventDefault();
    // A renewed key retains its limits.
    const read = way === 'renew' ? { name: '' } : limits.read();
    if (read === undefined) focusFirstError(formId);
    else onAllow({ way, limits: read, ...(latest === undefined || way === 'new' ? {} : { token_id: latest.id }) });
  }

  return (
    <form id={formId} className={layout.stackLg} noValidate onSubmit={handleSubmit}>
      {latest !== undefined && <Ways latest={latest} canRenew={canRenew} way={way} onWay={setWay} />}
      {way !== 'renew' && (
        <div className={layout.stackSm}>
          <Sum limits={limits} />
          <Fold title={t('apps.grant.limits')} needsLook={limits.hasError}>
            {() => <div className={layout.stackLg}>{limits.fields}</div>}
          </Fold>
        </div>
      )}
      <Refusal text={failure === undefined ? undefined : textOf(failure)} />
      <Account onSwitch={onSwitch} />
      <div className={styles.decision}>
        <Button variant="default" onClick={onRefuse}>
          {t('apps.grant.refuse')}
        </Button>
        <OnlineButton type="submit" variant="filled" loading={isBusy} label={t('apps.grant.allow')} />
      </div>
    </form>
  );
}

function textOf({ code, message }: CallFailure): string | undefined {
  return code === 'not_logged_in' ? undefined : message;
}

/** The limits in one sentence each. */
function Sum({ limits: { chosen } }: { limits: KeyLimits }) {
  const { t } = useTranslation();
  const format = useFormat();
  const lines: readonly ReactNode[] = [
    chosen.quota === undefined ? t('apps.grant.unlimited') : t('apps.grant.up_to', { amount: format.quota(chosen.quota) }),
    chosen.expiry === -1 ? t('apps.grant.for_ever') : t('apps.grant.until', { time: format.date(chosen.expiry) }),
    chosen.models === undefined ? t('apps.grant.any_model') : t('apps.grant.models', { count: chosen.models }),
  ];
  return (
    <ul className={`${layout.stackXs} ${styles.sum}`}>
      {lines.map((line, index) => (
        // The lines have no name but their place.
        <li key={index}>{line}</li>
      ))}
    </ul>
  );
}

interface WaysProps {
  latest: Token;
  canRenew: boolean;
  way: KeyGrant['way'];
  onWay: (way: KeyGrant['way']) => void;
}

/** It has a key already. */
function Ways({ latest, canRenew, way, onWay }: WaysProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const ways = [...(canRenew ? (['renew'] as const) : []), 'replace', 'new'] as const;
  return (
    <fieldset className={`${layout.stackSm} ${styles.ways}`}>
      <legend>{t('apps.grant.has_key', { name: latest.name, time: format.date(latest.created_time) })}</legend>
      {ways.map((one) => (
        <label key={one} className={styles.way}>
          <input type="radio" name="way" checked={one === way} onChange={() => onWay(one)} />
          <span>
            {t(`apps.grant.way.${one}`)}
            <span className={`${typography.note} ${styles.hint}`}>{t(`apps.grant.way_hint.${one}`)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function Account({ onSwitch }: { onSwitch: () => void }) {
  const { t } = useTranslation();
  const user = useStoredUser();
  return (
    <div className={`${layout.spread} ${styles.account}`}>
      <span className={typography.compact}>{t('apps.grant.account', { name: user?.username ?? '' })}</span>
      <Button variant="subtle" onClick={onSwitch}>
        {t('apps.grant.switch')}
      </Button>
    </div>
  );
}
