import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FirstCallState } from '#shared/first-call.ts';
import { mayActOn } from '#shared/roles.ts';
import { callableKind, canChat } from '#pwa/api/chat-models.ts';
import { canTopUp } from '#pwa/api/can-top-up.ts';
import { siteAddress, useSiteStatus } from '#pwa/api/site-status.ts';
import { NoCredit } from '#pwa/ui/billing/no-credit.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { arrivalOf } from './call-gates.ts';
import { CallSnippet, type ShownCode } from './call-snippet.tsx';
import styles from './first-call.module.css';
import { firstNames } from './first-names.ts';
import { Gates } from './gates.tsx';
import { kindOrder } from './guide-models.ts';
import { rankModels } from './program-models.ts';
import type { SnippetKind } from './snippet-blocks.ts';
import { Step } from './step.tsx';
import type { Guide } from './use-guide.ts';

interface CallStepProps {
  number: number;
  guide: Guide;
  state: FirstCallState | undefined;
}

export function CallStep({ number, guide, state }: CallStepProps) {
  const { t } = useTranslation();
  const status = useSiteStatus();
  const { token } = guide;
  const [shown, setShown] = useState<ShownCode>({ tab: guide.isForClients ? 'clients' : 'curl', client: 'claude_code' });
  // Each program has a model of its own until another is chosen for it.
  const [chosen, setChosen] = useState<Partial<Record<SnippetKind, string>>>({});
  const ranked = rankedFor(shown.client, guide);
  const isClient = shown.tab === 'clients' && ranked.length > 0;
  const snippetKind: SnippetKind = isClient ? shown.client : 'curl';
  // Programs hold conversations.
  const models = isClient ? ranked : guide.models;
  const own = chosen[snippetKind];
  const model = own !== undefined && models.includes(own) ? own : models[0];
  const kind = callableKind(model ?? '') ?? 'chat';
  const name = t('guide.call.name');
  // What was called before the program was set up says nothing about it.
  const [since, setSince] = useState<number>();
  if (guide.isForClients && since === undefined && state !== undefined) setSince(state.time);
  if (guide.user.quota <= 0) {
    return (
      <Step number={number} name={name} isDone={guide.hasCalled} line={t('guide.call.no_credit')}>
        {mayActOn(guide.user.role, guide.user.role) ? (
          <p className={styles.advice}>
            <StatusMark status="look">{t('guide.call.no_credit_admin')}</StatusMark>
            <Button renderRoot={(attributes) => <Link {...attributes} to="/user/edit/$id" params={{ id: String(guide.user.id) }} />}>
              {t('guide.door.users')}
            </Button>
          </p>
        ) : (
          <NoCredit user={guide.user} canTopUp={canTopUp(status)} />
        )}
      </Step>
    );
  }
  if (token === undefined) return <Step number={number} name={name} isDone={guide.hasCalled} line={t('guide.call.later')} />;
  if (model === undefined) return <NoModel number={number} guide={guide} />;
  const isNews = ({ at }: { at: number }) => !guide.isForClients || (since !== undefined && at >= since);
  const [call, refusal] = [state?.call ?? null, state?.refusal ?? null];
  const news = { call: call !== null && isNews(call) ? call : null, refusal: refusal !== null && isNews(refusal) ? refusal : null };
  const arrival = arrivalOf(news, token.key.length);
  const baseUrl = `${siteAddress(status)}/v1`;
  return (
    <Step
      number={number}
      name={name}
      isDone={guide.hasCalled}
      line={t(arrival.kind === 'done' ? 'guide.call.stays' : guide.isForClients ? 'guide.call.set_up' : 'guide.call.paste')}
      actions={
        <select
          className={styles.model}
          aria-label={t('guide.call.model')}
          value={model}
          onChange={(event) => setChosen({ ...chosen, [snippetKind]: event.currentTarget.value })}
        >
          <ModelOptions models={models} />
        </select>
      }
    >
      <div className={styles.call}>
        <CallSnippet
          baseUrl={baseUrl}
          secret={token.key}
          model={model}
          kind={kind}
          models={ranked}
          isPrimary={arrival.kind !== 'done'}
          shown={shown}
          onShow={setShown}
        />
        <Gates arrival={arrival} token={token} callKind={kind} model={model} isAdmin={guide.isAdmin} />
      </div>
    </Step>
  );
}

/** Those that hold conversations, the best first; models that fail come last. */
function rankedFor(client: ShownCode['client'], { models, prices, failing }: Guide): string[] {
  const rated = models.filter(canChat).map((name) => ({ name, price: prices.get(name) ?? 0 }));
  return [false, true].flatMap((fails) =>
    rankModels(
      client,
      rated.filter(({ name }) => failing.has(name) === fails),
    ),
  );
}

/** Grouped by kind of call, if there are several. */
function ModelOptions({ models }: { models: readonly string[] }) {
  const { t } = useTranslation();
  const found = Map.groupBy(models, (name) => callableKind(name) ?? 'chat');
  const options = (names: readonly string[] = []) => names.map((one) => <option key={one}>{one}</option>);
  if (found.size < 2) return options(models);
  return kindOrder
    .filter((kind) => found.has(kind))
    .map((kind) => (
      <optgroup key={kind} label={t(`guide.kind.${kind}`)}>
        {options(found.get(kind))}
      </optgroup>
    ));
}

/** Nothing can be called: none is offered, or none that is has a price. */
function NoModel({ number, guide }: { number: number; guide: Guide }) {
  const { t } = useTranslation();
  const isUnpriced = guide.unpriced.length > 0;
  const role = guide.isAdmin ? 'admin' : 'user';
  const names = firstNames(guide.unpriced, t);
  return (
    <Step number={number} name={t('guide.call.name')} isDone={guide.hasCalled} line={t('guide.call.no_model')}>
      <p className={styles.advice}>
        <StatusMark status="look">
          {isUnpriced
            ? t(`guide.call.unpriced_${role}`, { names, count: guide.unpriced.length })
            : t(`guide.call.unoffered_${role}`, { group: guide.token?.group || guide.user.group })}
        </StatusMark>
        {guide.isAdmin && !isUnpriced && (
          <Button renderRoot={(attributes) => <Link {...attributes} to="/channel" />}>{t('guide.door.channels')}</Button>
        )}
        {guide.isAdmin &&
          isUnpriced &&
          (['ModelRatio', 'SelfUseModeEnabled'] as const).map((field) => (
            <Button key={field} renderRoot={(attributes) => <Link {...attributes} to="/setting" search={{ field }} />}>
              {t(`guide.call.door_${field}`)}
            </Button>
          ))}
      </p>
    </Step>
  );
}
