import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PlainButton } from '#pwa/ui/controls/plain-button.tsx';
import { useCopy } from '#pwa/ui/controls/use-copy.ts';
import { ManualCopy } from '#pwa/ui/controls/manual-copy.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './personal.module.css';
import { ownModelsQuery } from './queries.ts';

/** So many are shown before the list is unfolded; whether it is, this device remembers. */
const shortList = 10;
const storageKey = 'modelsExpanded';

export function ModelsBlock() {
  const { t } = useTranslation();
  const models = useQuery(ownModelsQuery);
  const count = models.data?.length ?? 0;
  const aside = count > 0 && <span className={typography.note}>{t('account.models.count', { count })}</span>;
  return (
    <Block title={t('account.models.title')} aside={aside}>
      <QueryState query={models} what={t('account.models.title')} lines={2}>
        {(names) => (names.length === 0 ? <p className={typography.note}>{t('account.models.none')}</p> : <ModelNames names={names} />)}
      </QueryState>
    </Block>
  );
}

function ModelNames({ names }: { names: readonly string[] }) {
  const { t } = useTranslation();
  const { copy, manual, closeManual } = useCopy();
  const [isOpen, setOpen] = useState(() => localStorage.getItem(storageKey) === 'true');
  const more = names.length - shortList;

  function handleFold(): void {
    localStorage.setItem(storageKey, String(!isOpen));
    setOpen(!isOpen);
  }
  async function handleCopy(name: string): Promise<void> {
    await copy(name);
    toastSuccess(t('common.copy.done'));
  }
  return (
    <div className={`${layout.wrap} ${styles.models}`}>
      {(isOpen ? names : names.slice(0, shortList)).map((name) => (
        <button
          key={name}
          type="button"
          className={styles.model}
          aria-label={t('account.models.copy', { name })}
          onClick={() => void handleCopy(name)}
        >
          {name}
        </button>
      ))}
      {more > 0 && (
        <PlainButton variant="subtle" aria-expanded={isOpen} onClick={handleFold}>
          {isOpen ? t('account.models.less') : t('account.models.more', { count: more })}
        </PlainButton>
      )}
      {manual !== null && <ManualCopy text={manual} onClose={closeManual} />}
    </div>
  );
}
