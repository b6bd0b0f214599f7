import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Token } from '#shared/tokens.ts';
import type { CallableKind } from '#pwa/api/chat-models.ts';
import { sendFirstCall } from '#pwa/api/first-call.ts';
import { siteAddress, useSiteStatus } from '#pwa/api/site-status.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Glyph } from '#pwa/ui/controls/glyph.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { type Arrival, type Gate, gates } from './call-gates.ts';
import styles from './first-call.module.css';
import { askFirstCall } from './queries.ts';
import { WhyRefused } from './why-refused.tsx';

interface GatesProps {
  arrival: Arrival;
  token: Token;
  /** Kind of call. */
  callKind: CallableKind;
  model: string;
  isAdmin: boolean;
}

/** What the call passes on its way, each with its fact; the one that stops it says why, and where to put it right. */
export function Gates({ arrival, token, callKind, model, isAdmin }: GatesProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { kind, states, call, refusal } = arrival;
  const seconds = useSecondsOpen(kind === 'waiting');
  const { host, hostname } = new URL(siteAddress(useSiteStatus()));
  const isHere = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  const at = refusal?.at ?? call?.at ?? 0;
  const facts: Record<Gate, string> = {
    reached: refusal !== null ? t('guide.gate.from', { ip: refusal.ip }) : call !== null ? format.time(call.at) : '',
    key: states.key === 'failed' ? String(refusal?.status ?? '') : (refusal?.token_name ?? call?.token_name ?? ''),
    channel: channelFact(arrival),
    charged:
      states.charged === 'failed'
        ? String(refusal?.status ?? '')
        : kind === 'done' && call !== null
          ? `${format.charge(call.quota)} ${format.unit}`
          : '',
  };
  return (
    <div data-kind={kind}>
      <div role="status">
        <h3 className={`${layout.row} ${styles.arrivalTitle}`}>
          {kind === 'done' && (
            <span className={styles.good}>
              <Glyph name="dot" />
            </span>
          )}
          {t(`guide.arrival.${kind}`)}
        </h3>
      </div>
      <p className={styles.arrivalText}>
        {kind === 'waiting' && t(isHere ? 'guide.arrival.listening_here' : 'guide.arrival.listening', { host, time: clock(seconds) })}
        {kind === 'waiting' && isHere && isAdmin && (
          <>
            {' '}
            <Link to="/setting" search={{ field: 'ServerAddress' }}>
              {t('guide.arrival.set_address')}
            </Link>
          </>
        )}
        {kind === 'refused' && t('guide.arrival.still', { time: format.time(at) })}
        {kind === 'done' && call !== null && doneLine()}
      </p>
      <ol className={styles.gates}>
        {gates.map((gate) => (
          <li key={gate} data-state={states[gate]}>
            {states[gate] === 'waiting' ? <Ring /> : <Glyph name={states[gate] === 'passed' ? 'dot' : 'cross'} />}
            <span>{t(`guide.gate.${nameOf(gate, arrival)}`)}</span>
            <span className={styles.gateFact}>{states[gate] === 'waiting' ? '—' : facts[gate]}</span>
          </li>
        ))}
      </ol>
      {kind === 'refused' && <WhyRefused arrival={arrival} token={token} isAdmin={isAdmin} />}
      {kind === 'done' && call !== null ? (
        <div className={`${layout.row} ${layout.wrap} ${styles.arrivalActions}`}>
          <Button
            variant="filled"
            leftSection={<Icon name="list" />}
            renderRoot={(attributes) => <Link {...attributes} to="/log" search={{ open: String(call.log_id) }} />}
          >
            {t('guide.arrival.receipt')}
          </Button>
          <Button variant="subtle" renderRoot={(attributes) => <Link {...attributes} to="/log" search={{}} />}>
            {t('guide.arrival.logs')}
          </Button>
        </div>
      ) : (
        <SendHere token={token} kind={callKind} model={model} />
      )}
    </div>
  );

  function doneLine(): string {
    if (call === null) return '';
    const first = call.first_byte_ms === null ? [] : [t('guide.arrival.first_byte', { time: format.duration(call.first_byte_ms) })];
    return [call.model, ...first, t('guide.arrival.in_all', { time: format.duration(call.duration_ms) }), format.time(call.at)].join(' · ');
  }
}

function nameOf(gate: Gate, { states, refusal }: Arrival): string {
  if (states[gate] !== 'failed') return gate;
  // Refused before any channel was tried: none has failed.
  return gate === 'channel' && refusal !== null ? 'channel_unasked' : `${gate}_not`;
}

function channelFact({ states, call, refusal }: Arrival): string {
  if (refusal !== null) return states.channel === 'failed' ? String(refusal.status) : '';
  if (call === null) return '';
  return [call.channel?.name ?? '', call.status === 0 ? '' : String(call.status)].filter((part) => part !== '').join(' · ');
}

function SendHere({ token, kind, model }: { token: Token; kind: CallableKind; model: string }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const send = useMutation({
    mutationFn: () => sendFirstCall({ key: `sk-${token.key}`, kind, model }),
    meta: { quiet: true },
    // The result is reported like that of any other call.
    onSettled: () => askFirstCall(client),
  });
  return (
    <div className={`${layout.row} ${layout.wrap} ${styles.arrivalActions}`}>
      <OnlineButton icon={<Icon name="play" />} loading={send.isPending} onClick={() => send.mutate()} label={t('guide.arrival.send')} />
      <span className={`${typography.note} ${styles.note}`}>{t('guide.arrival.costs')}</span>
    </div>
  );
}

function Ring() {
  return (
    <svg className={styles.ring} viewBox="0 0 12 12" aria-hidden="true">
      <circle cx="6" cy="6" r="4.25" fill="none" stroke="currentColor" strokeWidth="1.5" />
    </svg>
  );
}

/** Whole seconds since this was opened, while it matters. */
function useSecondsOpen(isCounting: boolean): number {
  const [since] = useState(() => Date.now());
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (!isCounting) return;
    const timer = setInterval(() => setSeconds(Math.floor((Date.now() - since) / 1000)), 1000);
    return () => clearInterval(timer);
  }, [isCounting, since]);
  return seconds;
}

/** `0:42` */
function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
