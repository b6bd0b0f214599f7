import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { kindOfModel } from '#pwa/api/chat-models.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { RowMenu } from '#pwa/ui/list/row-menu.tsx';
import { useStore } from '#pwa/ui/store.ts';
import { newConversation, playground } from './conversations-state.ts';
import { type Part, useParametersTitle, useSetCount } from './playground-actions.tsx';
import styles from './playground.module.css';
import { useSum } from './use-sum.ts';

/** Next to the model: the parameters with the number that are set, and the rest behind one button. */
export function PhoneActions({ onOpen }: { onOpen: (part: Part) => void }) {
  const { t } = useTranslation();
  const { open } = useStore(playground);
  const count = useSetCount();
  const title = useParametersTitle();
  const sum = useSum(open);
  const isChat = kindOfModel(open.models[0] ?? '') === 'chat';
  return (
    <span className={styles.phoneActions}>
      <Button className={styles.parametersButton ?? ''} variant="subtle" aria-label={title} onClick={() => onOpen('parameters')}>
        <Icon name="filter" />
        {count > 0 && <span>{count}</span>}
      </Button>
      <RowMenu
        label={t('playground.more')}
        width={216}
        content={() => ({
          note: sum,
          actions: [
            {
              key: 'new',
              label: t('playground.conversation.new'),
              isDisabled: open.turns.length === 0,
              onClick: newConversation,
            },
            { key: 'all', label: t('playground.conversation.all'), onClick: () => onOpen('conversations') },
            ...(isChat ? [{ key: 'export', label: t('playground.export.open'), onClick: () => onOpen('export') }] : []),
          ],
        })}
      />
    </span>
  );
}
