import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ImportOverview } from '#shared/imports.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import styles from './imports.module.css';
import type { ImportsSearch } from './imports-search.ts';
import { FormerImports } from './former-imports.tsx';
import { ImportSteps } from './import-steps.tsx';
import { importQuery, importsQuery, isOpen } from './queries.ts';
import { SourceForm } from './source-form.tsx';

interface ImportsScreenProps {
  search: ImportsSearch;
  onSearch: (change: Partial<ImportsSearch>) => void;
}

/** The import that is under way or chosen, or the form of a new one; former imports below. */
export function ImportsScreen({ search, onSearch }: ImportsScreenProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const query = useQuery(importsQuery);
  const open = query.data?.imports.find((one) => isOpen(one) && one.source_kind !== 'command')?.id;
  // An import that ends while it is watched stays on the screen.
  const [watched, setWatched] = useState(open);
  if (open !== undefined && open !== watched) setWatched(open);
  const shown = search.run === 'new' ? undefined : (search.run ?? open ?? watched);
  return (
    <Screen
      title={t(isPhone ? 'imports.title_short' : 'imports.title')}
      back="/setting"
      layout="page"
      actions={shown === undefined ? undefined : <Button onClick={() => onSearch({ run: 'new' })}>{t('imports.action.new')}</Button>}
    >
      <div className={styles.screen}>
        <QueryState query={query} what={t('imports.title')} lines={8}>
          {(data) => (
            <>
              {shown === undefined ? (
                <SourceForm overview={data} onCreated={(run) => onSearch({ run })} />
              ) : (
                <ShownImport key={shown} id={shown} overview={data} />
              )}
              <FormerImports overview={data} shown={shown} onOpen={(run) => onSearch({ run })} />
            </>
          )}
        </QueryState>
      </div>
    </Screen>
  );
}

function ShownImport({ id, overview }: { id: number; overview: ImportOverview }) {
  const { t } = useTranslation();
  const query = useQuery(importQuery(id));
  return (
    <QueryState query={query} what={t('imports.title')} lines={8}>
      {(run) => <ImportSteps run={run} partBytes={overview.part_bytes} at={overview.at} />}
    </QueryState>
  );
}
