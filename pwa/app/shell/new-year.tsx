import { ActionIcon } from '@mantine/core';
import { type CSSProperties, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import styles from './new-year.module.css';

const lastsMs = 3000;
/** Where rockets burst, in parts of the screen, and after how long. */
const bursts = [
  { x: '28%', y: '34%', delay: 0 },
  { x: '68%', y: '24%', delay: 600 },
  { x: '48%', y: '46%', delay: 1200 },
];
const sparks = Array.from({ length: 16 }, (_none, index) => index);

/** On the first of January, in the top bar. */
export function NewYear() {
  const { t } = useTranslation();
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (round === 0) return undefined;
    const end = setTimeout(() => setRound(0), lastsMs);
    return () => clearTimeout(end);
  }, [round]);
  function handleClick(): void {
    toastSuccess(t('shell.new_year'));
    setRound(round + 1);
  }
  return (
    <>
      <ActionIcon aria-label={t('shell.new_year')} title={t('shell.new_year')} onClick={handleClick}>
        <span aria-hidden>🎉</span>
      </ActionIcon>
      {round > 0 && <Fireworks key={round} />}
    </>
  );
}

function Fireworks() {
  return (
    <div className={styles.sky} aria-hidden data-fireworks>
      {bursts.map(({ x, y, delay }) => (
        <div key={x} className={styles.burst} style={{ left: x, top: y }}>
          {sparks.map((spark) => (
            <span key={spark} className={styles.spark} style={styleOf(spark, delay)} />
          ))}
        </div>
      ))}
    </div>
  );
}

function styleOf(spark: number, delay: number): CSSProperties & Record<'--delay', string> {
  return { rotate: `${(spark * 360) / sparks.length}deg`, '--delay': `${delay}ms` };
}
