import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type Channel, channelApi } from '#shared/channels.ts';
import { channelType } from '#shared/channel-types.ts';
import { commaList } from '#shared/comma-list.ts';
import { Role } from '#shared/roles.ts';
import { onlyTakesOrders } from '#pwa/api/chat-models.ts';
import { callWithExtra } from '#pwa/api/call.ts';
import { useInReadersLanguage } from './readers-language.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { currentLanguage } from '#pwa/i18n/setup.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import styles from './first-call.module.css';
import { Step } from './step.tsx';
import type { Guide } from './use-guide.ts';

const patience = 65_000;

export function ChannelStep({ number, guide }: { number: number; guide: Guide }) {
  const { t } = useTranslation();
  const { channel } = guide;
  const name = t('guide.channel.name');
  if (channel !== undefined) return <DoneChannel number={number} name={name} channel={channel} guide={guide} />;
  return (
    <Step
      number={number}
      name={name}
      isDone={false}
      line={t(guide.channelCount === 0 ? 'guide.channel.none' : 'guide.channel.none_enabled')}
    >
      <Button
        variant="filled"
        leftSection={<Icon name={guide.channelCount === 0 ? 'plus' : 'right'} />}
        renderRoot={(attributes) =>
          guide.channelCount === 0 ? (
            <Link {...attributes} to="/channel/add" search={{ next: 'first-call' }} />
          ) : (
            <Link {...attributes} to="/channel" search={{}} />
          )
        }
      >
        {t(guide.channelCount === 0 ? 'guide.channel.add' : 'guide.channel.see')}
      </Button>
      {guide.channelCount === 0 && guide.user.role >= Role.root && (
        <Button variant="subtle" renderRoot={(attributes) => <Link {...attributes} to="/import" search={{}} />}>
          {t('guide.channel.import')}
        </Button>
      )}
    </Step>
  );
}

function DoneChannel({ number, name, channel, guide }: { number: number; name: string; channel: Channel; guide: Guide }) {
  const { t } = useTranslation();
  const format = useFormat();
  const isOnline = useIsOnline();
  const client = useQueryClient();
  const test = useMutation({
    mutationFn: () => callWithExtra(channelApi.test, { params: { id: String(channel.id) }, query: {}, timeout: patience }),
    meta: { quiet: true },
    onSettled: () => client.invalidateQueries({ queryKey: ['channels'] }),
  });
  const testError = useInReadersLanguage(channel.test_error);
  const models = commaList(channel.models);
  const priced = models.filter((model) => !guide.unpriced.includes(model)).length;
  const parts = [channel.name, typeName(channel.type), t('guide.channel.models', { count: models.length, priced })];
  return (
    <Step
      number={number}
      name={name}
      isDone
      line={
        <>
          {parts.join(' · ')}
          {test.isError ? (
            <span className={styles.failure}>
              <StatusMark status="failed">{failureOf(test.error).message}</StatusMark>
            </span>
          ) : (
            channel.test_time > 0 &&
            (channel.test_error === '' ? (
              <>
                {' · '}
                {t(channel.tested_model === '' ? 'guide.channel.tested' : 'guide.channel.tested_with', {
                  model: channel.tested_model,
                  time: format.duration(channel.response_time),
                })}
              </>
            ) : (
              <span className={styles.failure}>
                <StatusMark status="failed">{testError}</StatusMark>
              </span>
            ))
          )}
        </>
      }
      actions={
        <>
          {channelType(channel.type)?.isUntested !== true && !onlyTakesOrders(models) && (
            <Button variant="subtle" disabled={!isOnline} loading={test.isPending} onClick={() => test.mutate()}>
              {t(channel.test_time > 0 ? 'guide.channel.test_again' : 'guide.channel.test')}
            </Button>
          )}
          <Button
            variant="subtle"
            renderRoot={(attributes) => (
              <Link {...attributes} to="/channel/edit/$id" params={{ id: String(channel.id) }} search={{ next: 'first-call' }} />
            )}
          >
            {t('guide.edit')}
          </Button>
        </>
      }
    />
  );
}

function typeName(type: number): string {
  const known = channelType(type);
  if (known === undefined) return String(type);
  return currentLanguage() === 'zh' ? (known.nameZh ?? known.name) : known.name;
}
