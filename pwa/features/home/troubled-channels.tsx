import { useTranslation } from 'react-i18next';
import type { OperatorTodo } from '#shared/dashboard.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { serverWords } from '#pwa/ui/server-words.ts';
import { FailingLine } from './failing-line.tsx';
import { TodoLine } from './todo-line.tsx';

/** Failing channels beyond those that are named. */
export function moreFailing({ failing = [], channel_counts: counts }: OperatorTodo): number {
  return (counts?.failing ?? 0) - failing.length;
}

/** Automatically disabled channels beyond those that are named. */
export function moreDisabled({ channels, channel_counts: counts }: OperatorTodo): number {
  return (counts?.disabled ?? 0) - channels.length;
}

/** Channels that fail or were disabled automatically, a line each. */
export function TroubledChannels({ todo }: { todo: OperatorTodo }) {
  const { t } = useTranslation();
  const format = useFormat();
  const today = format.dayKey(Date.now() / 1000);
  const moment = (seconds: number): string => (format.dayKey(seconds) === today ? format.clock(seconds) : format.dateTime(seconds));
  return (
    <>
      {(todo.failing ?? []).map((channel) => (
        <FailingLine key={`failing ${channel.id}`} channel={channel} />
      ))}
      {moreFailing(todo) > 0 && (
        <TodoLine
          status="auto"
          what={t('home.todo.more_failing', { count: moreFailing(todo) })}
          why=""
          to="/channel"
          search={{ status: 'failing' }}
        />
      )}
      {todo.channels.map((channel) => (
        <TodoLine
          key={channel.id}
          status="auto"
          what={t('home.todo.channel', { name: channel.name })}
          why={[serverWords(t, channel.reason), channel.since === 0 ? '' : t('home.todo.since', { time: moment(channel.since) })]
            .filter((part) => part !== '')
            .join(' · ')}
          to="/channel"
          search={{ open: String(channel.id) }}
        />
      ))}
      {moreDisabled(todo) > 0 && (
        <TodoLine
          status="auto"
          what={t('home.todo.more_disabled', { count: moreDisabled(todo) })}
          why=""
          to="/channel"
          search={{ status: 'auto' }}
        />
      )}
    </>
  );
}
