import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Token } from '#shared/tokens.ts';
import { CopyButton } from '#pwa/ui/controls/copy-text.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { Step } from './step.tsx';
import { limitOf, shortKey } from './usable-token.ts';
import type { Guide } from './use-guide.ts';

// Needed once.
const NewToken = lazyPart(
  () => import('./new-token.tsx'),
  (part) => part.NewToken,
);

export function TokenStep({ number, guide }: { number: number; guide: Guide }) {
  const { t } = useTranslation();
  const { token, channel, isAdmin } = guide;
  const name = t('guide.token.name');
  if (token !== undefined) return <DoneToken number={number} name={name} token={token} guide={guide} />;
  if (isAdmin && channel === undefined) return <Step number={number} name={name} isDone={false} line={t('guide.token.later')} />;
  return (
    <Step number={number} name={name} isDone={false} line={t('guide.token.none')}>
      <NewToken balance={guide.user.quota} />
    </Step>
  );
}

function DoneToken({ number, name, token, guide }: { number: number; name: string; token: Token; guide: Guide }) {
  const { t } = useTranslation();
  const format = useFormat();
  const limit = limitOf(token);
  const spend = token.unlimited_quota
    ? t('guide.token.unlimited', { balance: format.quota(guide.user.quota) })
    : t('guide.token.limited', { amount: format.quota(token.remain_quota), balance: format.quota(guide.user.quota) });
  return (
    <Step
      number={number}
      name={name}
      isDone
      line={
        <>
          {token.name} · <code>{shortKey(token.key)}</code> · {spend} ·{' '}
          {limit === null ? t('guide.token.every_model') : t('guide.token.some_models', { count: limit.size })}
        </>
      }
      actions={
        <>
          <CopyButton variant="subtle" label={t('guide.token.copy')} text={`sk-${token.key}`} />
          <Button variant="subtle" renderRoot={(attributes) => <Link {...attributes} to="/token" search={{ open: String(token.id) }} />}>
            {t('guide.edit')}
          </Button>
        </>
      }
    />
  );
}
