import { TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { appRefOf, type DeviceRequest, shownUserCode, tidyUserCode } from '#shared/app-authorizations.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import type { KeyLimitsPart } from '#pwa/records/key-limits.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { useScreenHeading } from '#pwa/ui/frame/screen-heading.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import surface from '#pwa/ui/styles/surface.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './apps.module.css';
import { Claim } from './consent-screen.tsx';
import { GrantForm } from './grant-form.tsx';
import { useDecideDevice, useOpenDevice } from './queries.ts';

interface DeviceScreenProps {
  /** Of the address that a program shows. It is filled in, and nothing else: a link must not lead past the question where the code comes from. */
  givenCode: string;
  Limits: KeyLimitsPart;
  onSwitch: () => void;
}

/** Where the code that a program shows is entered. */
export function DeviceScreen({ givenCode, Limits, onSwitch }: DeviceScreenProps) {
  const { t } = useTranslation();
  useScreenHeading(t('apps.device.title'));
  const open = useOpenDevice();
  const [code, setCode] = useState('');
  const [decided, setDecided] = useState<'allowed' | 'refused'>();
  return (
    <section className={`${layout.stackLg} ${surface.card} ${styles.form}`}>
      {decided !== undefined ? (
        <>
          <h1 className={typography.title}>{t(`apps.device.${decided}`)}</h1>
          <p role="status">{t(`apps.device.${decided}_text`)}</p>
        </>
      ) : open.data === undefined ? (
        <CodeForm
          givenCode={givenCode}
          isBusy={open.isPending}
          error={open.error}
          onCode={(typed) => {
            setCode(typed);
            open.mutate(typed);
          }}
        />
      ) : (
        <Request code={code} request={open.data} Limits={Limits} onSwitch={onSwitch} onDecided={setDecided} />
      )}
    </section>
  );
}

interface CodeFormProps {
  givenCode: string;
  isBusy: boolean;
  error: Error | null;
  onCode: (code: string) => void;
}

function CodeForm({ givenCode, isBusy, error, onCode }: CodeFormProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(givenCode);
  const [isWrong, setWrong] = useState(false);
  const refusal = error === null ? undefined : failureOf(error);
  const shownRefusal = refusal === undefined || refusal.code === 'not_logged_in' ? undefined : refusal.message;

  function handleSubmit(event: FormEvent): void {
    event.preventDefault();
    const code = tidyUserCode(typed);
    setWrong(code === undefined);
    if (code !== undefined) onCode(code);
  }

  return (
    <>
      <h1 className={typography.title}>{t('apps.device.title')}</h1>
      <p>{t('apps.device.text')}</p>
      <form className={layout.stackLg} noValidate onSubmit={handleSubmit}>
        <TextInput
          label={t('apps.device.code')}
          classNames={{ input: styles.code ?? '' }}
          value={typed}
          error={isWrong ? t('apps.device.code_form') : shownRefusal}
          placeholder="BCDF-GHJK"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          autoFocus
          maxLength={20}
          onChange={(event) => setTyped(event.currentTarget.value.toUpperCase())}
        />
        <OnlineButton type="submit" variant="filled" fullWidth loading={isBusy} label={t('apps.device.open')} />
      </form>
    </>
  );
}

interface RequestProps {
  code: string;
  request: DeviceRequest;
  Limits: KeyLimitsPart;
  onSwitch: () => void;
  onDecided: (decision: 'allowed' | 'refused') => void;
}

function Request({ code, request, Limits, onSwitch, onDecided }: RequestProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const decide = useDecideDevice();
  const facts = [
    [t('apps.device.fact.ip'), request.ip],
    [t('apps.device.fact.program'), request.user_agent || '—'],
    [t('apps.device.fact.time'), format.dateTime(request.created_at)],
  ] as const;
  return (
    <>
      <h1 className={typography.title}>{t('apps.device.request')}</h1>
      <Claim name={request.name} />
      <dl className={`${surface.well} ${layout.stackSm} ${styles.facts}`}>
        <div>
          <dt className={typography.note}>{t('apps.device.fact.code')}</dt>
          <dd className={styles.userCode}>{shownUserCode(code)}</dd>
        </div>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt className={typography.note}>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className={typography.secondary}>
        <StatusMark status={request.is_same_network ? 'look' : 'failed'}>
          {t(request.is_same_network ? 'apps.device.only_own' : 'apps.device.other_network')}
        </StatusMark>
      </p>
      <GrantForm
        name={request.name}
        appRef={appRefOf({ ...request, callback: '' })}
        Limits={Limits}
        isBusy={decide.isPending}
        error={decide.error}
        onAllow={(grant) => decide.mutate({ user_code: code, grant }, { onSuccess: () => onDecided('allowed') })}
        onRefuse={() => decide.mutate({ user_code: code }, { onSuccess: () => onDecided('refused') })}
        onSwitch={onSwitch}
      />
    </>
  );
}
