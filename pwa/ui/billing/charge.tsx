import typography from '#pwa/ui/styles/typography.module.css';
import { splitLeadingZeros } from './format.ts';
import { useFormat } from './format-context.ts';
import styles from './charge.module.css';

/** What a call cost, for a column: the leading zeros are muted, so that the dark digits show the size. */
export function Charge({ quota, sign }: { quota: number; sign?: '+' | '−' }) {
  const format = useFormat();
  return <MutedZeros text={`${sign ?? ''}${format.charge(quota)}`} />;
}

export function MutedZeros({ text }: { text: string }) {
  // Nothing is all zeros.
  const { zeros, digits } = /[1-9]/.test(text) ? splitLeadingZeros(text) : { zeros: text, digits: '' };
  return (
    <span className={styles.money}>
      {zeros !== '' && <span className={typography.muted}>{zeros}</span>}
      {digits}
    </span>
  );
}
