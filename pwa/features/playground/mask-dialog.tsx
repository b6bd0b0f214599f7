import { Button } from '@mantine/core';
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Picture } from '#pwa/offline/conversation.ts';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { Dialog } from '#pwa/ui/frame/dialog.tsx';
import { toastNote } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { maskOf, paint, paintMask, type Point } from './paint-mask.ts';
import styles from './mask-dialog.module.css';
import threadStyles from './thread.module.css';

interface MaskDialogProps {
  picture: Picture;
  /** Undefined: the whole picture may change. */
  onMask: (mask: string | undefined) => void;
  onClose: () => void;
}

/** Of the picture's longer side. */
const brushes = { small: 0.03, medium: 0.08, large: 0.18 } as const;
type Brush = keyof typeof brushes;
const sizes: readonly Brush[] = ['small', 'medium', 'large'];
const moves: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

/** Marks the part of a picture to repaint: with a finger, a mouse, or arrow keys and Space, or by a file. */
export function MaskDialog({ picture, onMask, onClose }: MaskDialogProps) {
  const { t } = useTranslation();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [brush, setBrush] = useState<Brush>('medium');
  const [file, setFile] = useState<File>();
  const width = Math.round(brushes[brush] * Math.max(picture.width, picture.height));
  const { cursor, ...hands } = useBrush(canvas, { picture, width });
  const { mask } = picture;
  const ratio = picture.width / picture.height;
  useEffect(() => {
    if (mask === undefined || canvas.current === null) return;
    const place = canvas.current;
    void fetch(mask)
      .then((response) => response.blob())
      .then((blob) => paintMask(place, blob));
  }, [mask]);
  useEffect(() => {
    if (file === undefined || canvas.current === null) return;
    void paintMask(canvas.current, file).then((isRead) => {
      if (!isRead) toastNote(t('playground.mask.unreadable'));
    });
  }, [file, t]);

  function handleClear(): void {
    canvas.current?.getContext('2d')?.clearRect(0, 0, picture.width, picture.height);
  }
  function handleDone(): void {
    if (canvas.current !== null) onMask(maskOf(canvas.current));
    onClose();
  }
  return (
    <Dialog title={t('playground.mask.title')} onClose={onClose}>
      <p className={typography.note}>{t('playground.mask.text')}</p>
      <div className={styles.maskPlace} style={{ aspectRatio: ratio, width: `min(100%, ${55 * ratio}dvh)` }}>
        <img src={picture.url} alt={picture.name} draggable={false} />
        <canvas
          ref={canvas}
          className={styles.maskCanvas}
          width={picture.width}
          height={picture.height}
          tabIndex={0}
          // It is painted on, by keys as well.
          // oxlint-disable-next-line jsx-a11y/no-interactive-element-to-noninteractive-role
          role="application"
          aria-label={t('playground.mask.canvas')}
          {...hands}
        />
        {cursor !== undefined && (
          <i
            className={styles.maskCursor}
            aria-hidden="true"
            style={{
              width: `${(width / picture.width) * 100}%`,
              insetInlineStart: `${(cursor.x / picture.width) * 100}%`,
              top: `${(cursor.y / picture.height) * 100}%`,
            }}
          />
        )}
      </div>
      <MaskTools brush={brush} onBrush={setBrush} onClear={handleClear} onFile={setFile} />
      <div className={`${layout.wrap} ${threadStyles.editActions}`}>
        <Button onClick={onClose}>{t('common.action.cancel')}</Button>
        <Button variant="filled" onClick={handleDone}>
          {t('playground.mask.done')}
        </Button>
      </div>
    </Dialog>
  );
}

interface MaskToolsProps {
  brush: Brush;
  onBrush: (brush: Brush) => void;
  onClear: () => void;
  onFile: (file: File | undefined) => void;
}

function MaskTools({ brush, onBrush, onClear, onFile }: MaskToolsProps) {
  const { t } = useTranslation();
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <div className={`${layout.row} ${layout.wrap} ${styles.maskTools}`}>
      <Segments
        label={t('playground.mask.brush')}
        value={brush}
        options={sizes.map((value) => ({ value, label: t(`playground.mask.${value}`) }))}
        onChange={onBrush}
      />
      <Button variant="subtle" onClick={onClear}>
        {t('playground.mask.clear')}
      </Button>
      <Button variant="subtle" onClick={() => chooser.current?.click()}>
        {t('playground.mask.choose')}
      </Button>
      <input
        className="visually-hidden"
        ref={chooser}
        type="file"
        accept="image/png,image/webp"
        tabIndex={-1}
        aria-hidden="true"
        onChange={(event) => onFile(event.currentTarget.files?.[0])}
      />
    </div>
  );
}

/** `cursor`: where keys paint; undefined while they do not. */
function useBrush(canvas: RefObject<HTMLCanvasElement | null>, { picture, width }: { picture: Picture; width: number }) {
  const last = useRef<Point>(undefined);
  const [cursor, setCursor] = useState<Point>();
  const paintTo = (to: Point, from: Point = to): void => {
    if (canvas.current !== null) paint(canvas.current, { from, to, width });
  };
  function placeOf({ clientX, clientY, currentTarget }: PointerEvent<HTMLCanvasElement>): Point {
    const { left, top, width: shown, height } = currentTarget.getBoundingClientRect();
    return { x: ((clientX - left) / shown) * picture.width, y: ((clientY - top) / height) * picture.height };
  }
  return {
    cursor,
    onPointerDown(event: PointerEvent<HTMLCanvasElement>): void {
      event.currentTarget.setPointerCapture(event.pointerId);
      setCursor(undefined);
      last.current = placeOf(event);
      paintTo(last.current);
    },
    onPointerMove(event: PointerEvent<HTMLCanvasElement>): void {
      if (last.current === undefined) return;
      const next = placeOf(event);
      paintTo(next, last.current);
      last.current = next;
    },
    onPointerUp: () => (last.current = undefined),
    onPointerCancel: () => (last.current = undefined),
    onKeyDown({ key, nativeEvent }: KeyboardEvent<HTMLCanvasElement>): void {
      const now = cursor ?? { x: picture.width / 2, y: picture.height / 2 };
      const move = moves[key];
      if (move === undefined && key !== ' ') return;
      nativeEvent.preventDefault();
      if (move === undefined) paintTo(now);
      const step = width / 2;
      const within = (value: number, most: number): number => Math.min(most, Math.max(0, value));
      const { x, y } = move ?? { x: 0, y: 0 };
      setCursor({ x: within(now.x + x * step, picture.width), y: within(now.y + y * step, picture.height) });
    },
    onBlur: () => setCursor(undefined),
  };
}
