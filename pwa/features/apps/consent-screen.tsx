import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { appRefOf, type AppRequest, type AppWishes, callbackPlace, callbackWith, type ReadRequest } from '#shared/app-authorizations.ts';
import { siteAddress, useSiteStatus } from '#pwa/api/site-status.ts';
import type { KeyLimitsPart } from '#pwa/records/key-limits.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { useScreenHeading } from '#pwa/ui/frame/screen-heading.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import surface from '#pwa/ui/styles/surface.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './apps.module.css';
import { GrantForm } from './grant-form.tsx';
import { useApprove } from './queries.ts';

interface ConsentScreenProps {
  read: ReadRequest;
  Limits: KeyLimitsPart;
  onSwitch: () => void;
}

/** Request of an application: its name, where the key goes, and what the key may do. */
export function ConsentScreen({ read, Limits, onSwitch }: ConsentScreenProps) {
  const { t } = useTranslation();
  useScreenHeading(t('apps.consent.title'));
  return (
    <section className={`${layout.stackLg} ${surface.card} ${styles.form}`}>
      {read.request === undefined ? (
        <Problem read={read} />
      ) : (
        <Consent request={read.request} wishes={read.wishes} Limits={Limits} onSwitch={onSwitch} />
      )}
    </section>
  );
}

/**
 * Leaves for the callback. Nothing goes there before a person has pressed a button: this page would send browsers to any address otherwise (RFC 9700,
 * 4.11.2). The entry of this page in the history is replaced.
 */
function leaveFor(address: string): void {
  location.replace(address);
}

function Consent({ request, wishes, Limits, onSwitch }: Omit<ConsentScreenProps, 'read'> & { request: AppRequest; wishes: AppWishes }) {
  const { t } = useTranslation();
  const approve = useApprove();
  const status = useSiteStatus();
  const [isLeft, setLeft] = useState(false);
  const place = callbackPlace(request.callback);
  if (place === undefined) return null;

  function leave(address: string): void {
    setLeft(true);
    leaveFor(address);
  }

  function handleRefuse(): void {
    const issuer = request.form === 'oauth' ? { iss: siteAddress(status) } : {};
    leave(callbackWith(request.callback, { error: 'access_denied', state: request.state, ...issuer }));
  }

  if (isLeft) {
    return (
      <>
        <h1 className={typography.title}>{t('apps.left.title', { name: request.name })}</h1>
        <p role="status">{t('apps.left.text')}</p>
      </>
    );
  }
  return (
    <>
      <h1 className={typography.title}>{t('apps.consent.title')}</h1>
      <Claim name={request.name} />
      <div className={`${surface.well} ${layout.stackXs} ${styles.place}`}>
        <span className={typography.note}>{t(`apps.consent.goes_to.${place.kind}`)}</span>
        <strong className={styles.target}>{place.shown}</strong>
      </div>
      <p className={typography.secondary}>
        <StatusMark status="look">{t(`apps.consent.unverified.${place.kind}`)}</StatusMark>
      </p>
      <GrantForm
        name={request.name}
        appRef={appRefOf(request)}
        wishes={wishes}
        Limits={Limits}
        isBusy={approve.isPending}
        error={approve.error}
        onAllow={(grant) => approve.mutate({ request, grant }, { onSuccess: ({ redirect_to: address }) => leave(address) })}
        onRefuse={handleRefuse}
        onSwitch={onSwitch}
      />
    </>
  );
}

/** The name that an application gives itself. */
export function Claim({ name }: { name: string }) {
  const { t } = useTranslation();
  return (
    <p className={layout.stackXs}>
      <bdi className={styles.name}>{name}</bdi>
      <span>{t('apps.consent.asks')}</span>
    </p>
  );
}

function Problem({ read }: { read: Extract<ReadRequest, { request?: undefined }> }) {
  const { t } = useTranslation();
  const place = read.callback === undefined ? undefined : callbackPlace(read.callback);
  const handleReturn = (): void => {
    const { callback = '', problem, state } = read;
    const error = problem === 'response_type' ? 'unsupported_response_type' : 'invalid_request';
    leaveFor(callbackWith(callback, { error, error_description: problem, state }));
  };
  return (
    <>
      <h1 className={typography.title}>{t('apps.problem.title')}</h1>
      <p>{t(`apps.problem.${read.problem}`)}</p>
      <p className={typography.note}>{t('apps.problem.maker')}</p>
      {place !== undefined && <Button onClick={handleReturn}>{t('apps.problem.return', { target: place.shown })}</Button>}
    </>
  );
}
