import type { ReactNode } from 'react';
import { useIsPhone } from './breakpoint.ts';
import { Dialog } from './dialog.tsx';
import { lazyPart } from './lazy-part.tsx';

const BottomSheet = lazyPart(
  () => import('./bottom-sheet.tsx'),
  (part) => part.BottomSheet,
);

interface FormDialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** A short form over the page: a sheet from below on a phone. Mounted: it is open. */
export function FormDialog({ title, onClose, children }: FormDialogProps) {
  const isPhone = useIsPhone();
  if (isPhone)
    return (
      <BottomSheet opened title={title} onClose={onClose}>
        {children}
      </BottomSheet>
    );
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
    </Dialog>
  );
}
