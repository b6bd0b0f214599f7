import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Block } from '#pwa/ui/frame/block.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './personal.module.css';

const BottomSheet = lazyPart(
  () => import('#pwa/ui/frame/bottom-sheet.tsx'),
  (part) => part.BottomSheet,
);

interface FormBlockProps {
  title: string;
  /** On a phone the form opens from a row: what stands in it, its button, and the button's full name. */
  row: { about: ReactNode; action: string; label: string };
  children: (onDone: () => void) => ReactNode;
}

/** A form that is seldom needed: open where there is room, behind a button on a phone. */
export function FormBlock({ title, row, children }: FormBlockProps) {
  const isPhone = useIsPhone();
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  if (!isPhone) return <Block title={title}>{children(close)}</Block>;
  return (
    <div className={`${layout.spread} ${styles.opener}`}>
      <div className={styles.words}>{row.about}</div>
      <Button aria-label={row.label} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {row.action}
      </Button>
      {isOpen && (
        <BottomSheet opened title={title} onClose={close}>
          {children(close)}
        </BottomSheet>
      )}
    </div>
  );
}
