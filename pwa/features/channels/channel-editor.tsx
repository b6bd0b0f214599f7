import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Channel } from '#shared/channels.ts';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { ChannelForm } from './channel-form.tsx';
import styles from './channel-form.module.css';
import { ChannelHead } from './channel-head.tsx';
import { channelQuery } from './queries.ts';
import type { ChannelControls } from './use-channel-controls.ts';

export interface EditorProps {
  /** The channel as the list has it; undefined when it is on another page. */
  row: Channel | undefined;
  controls: ChannelControls;
  onClose: () => void;
  onCreated: (ids: number[]) => void;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
}

/** Editor next to the list: of a new channel, or of one that is read first. */
export function ChannelEditor({ id, ...props }: EditorProps & { id: number | undefined }) {
  return id === undefined ? <ChannelForm {...props} channel={undefined} /> : <ExistingChannel {...props} id={id} />;
}

function ExistingChannel({ id, ...props }: EditorProps & { id: number }) {
  const { t } = useTranslation();
  const query = useQuery(channelQuery(id));
  // A form needs the record itself: the stored copies of lists lack some of its fields.
  if (query.data !== undefined) return <ChannelForm {...props} channel={query.data} />;
  return (
    <SidePanel
      isTall
      title={props.row?.name ?? t('channel.editor.edit')}
      note={`#${id}`}
      onClose={props.onClose}
      onPrevious={props.onPrevious}
      onNext={props.onNext}
    >
      {props.row !== undefined && query.fetchStatus === 'paused' ? (
        <>
          <p className={styles.offline}>
            <StatusMark status="offline">{t('channel.editor.offline')}</StatusMark>
          </p>
          <ChannelHead channel={props.row} controls={props.controls} />
        </>
      ) : (
        <QueryState query={query} what={t('channel.editor.what')} lines={10}>
          {() => null}
        </QueryState>
      )}
    </SidePanel>
  );
}
