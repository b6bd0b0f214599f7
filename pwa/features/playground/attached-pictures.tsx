import { ActionIcon, Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Picture } from '#pwa/offline/conversation.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import attachmentsStyles from './attachments.module.css';
import styles from './mask-dialog.module.css';

const MaskDialog = lazyPart(
  () => import('./mask-dialog.tsx'),
  (part) => part.MaskDialog,
);

interface AttachedPicturesProps {
  pictures: Picture[];
  onRemove: (index: number) => void;
  /** Undefined: no model reads a mask. */
  onMask: ((mask: string | undefined) => void) | undefined;
}

/** Pictures that go along with a question. */
export function AttachedPictures({ pictures, onRemove, onMask }: AttachedPicturesProps) {
  const { t } = useTranslation();
  const [isMasking, setMasking] = useState(false);
  const [first] = pictures;
  return (
    <>
      <ul className={`${layout.wrap} ${attachmentsStyles.attached}`}>
        {pictures.map((picture, index) => (
          // Two may have the same name.
          <li key={index}>
            <span className={styles.masked}>
              <img src={picture.url} alt={picture.name} />
              {index === 0 && onMask !== undefined && picture.mask !== undefined && (
                <img className={styles.maskOver} src={picture.mask} alt="" />
              )}
            </span>
            <ActionIcon aria-label={t('playground.ask.detach', { name: picture.name })} onClick={() => onRemove(index)}>
              <Icon name="close" />
            </ActionIcon>
          </li>
        ))}
        {onMask !== undefined && first !== undefined && (
          <li>
            <Button variant="subtle" leftSection={<Icon name="edit" />} onClick={() => setMasking(true)}>
              {t(first.mask === undefined ? 'playground.mask.open' : 'playground.mask.again')}
            </Button>
          </li>
        )}
      </ul>
      {isMasking && onMask !== undefined && first !== undefined && (
        <MaskDialog picture={first} onMask={onMask} onClose={() => setMasking(false)} />
      )}
    </>
  );
}
