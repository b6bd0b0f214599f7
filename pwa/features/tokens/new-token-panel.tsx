import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { mayInOrganisation } from '#shared/organisation-roles.ts';
import type { Token } from '#shared/tokens.ts';
import { useActing } from '#pwa/api/acting.ts';
import { usableGroupsQuery } from '#pwa/api/groups.ts';
import { LimitsPart } from '#pwa/records/limits/limits-part.tsx';
import { MadeRecords, NewRecordsPanel } from '#pwa/records/new-records-panel.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { CopyButton, CopyIcon } from '#pwa/ui/controls/copy-text.tsx';
import { Fold } from '#pwa/ui/form/fold.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import { useCreateTokens } from './token-actions.ts';
import { TokenFields } from './token-fields.tsx';
import { createBody, emptyToken } from './token-form.ts';
import { type TokenForm, useNewTokenForm } from './use-token-form.ts';
import { ServiceFields } from './service-fields.tsx';
import styles from './tokens.module.css';

const TestToken = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./test-token.tsx'), loadTexts('token_edits')]);
    return part;
  },
  (part) => part.TestToken,
  <div className={styles.testSpace} />,
);

export function NewTokenPanel({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [made, setMade] = useState<readonly Token[]>([]);
  const create = useCreateTokens();
  const form = useNewTokenForm();
  const acting = useActing();
  useUsualGroup(form);
  if (made.length > 0) return <MadeTokens tokens={made} onClose={onClose} />;
  return (
    <NewRecordsPanel
      formId="new-token"
      title={t('tokens.panel.new')}
      label={t('tokens.action.create')}
      form={form}
      create={create}
      bodyOf={createBody}
      onMade={setMade}
      onClose={onClose}
    >
      {acting !== null && mayInOrganisation(acting.role, 'manage') && <ServiceFields form={form} organisation={acting.id} />}
      <TokenFields form={form} hasCount />
      <NewLimits form={form} />
    </NewRecordsPanel>
  );
}

/** Budgets and rate limits that the tokens get, folded: most have none. */
function NewLimits({ form }: { form: TokenForm }) {
  const { t } = useTranslation();
  const { rate_limits: rates, budgets } = form.values;
  const count = rates.length + budgets.length;
  return (
    <Fold
      title={t('limits.part.limits')}
      aside={count === 0 ? t('limits.none') : count}
      needsLook={form.errors['rate_limits'] !== undefined || form.errors['budgets'] !== undefined}
    >
      {() => (
        <LimitsPart
          owner={undefined}
          scope="token"
          before={nothing}
          budgets={{ drafts: budgets, error: form.errors['budgets'], onChange: (drafts) => form.setFieldValue('budgets', drafts) }}
          rates={{ drafts: rates, error: form.errors['rate_limits'], onChange: (drafts) => form.setFieldValue('rate_limits', drafts) }}
        />
      )}
    </Fold>
  );
}

const nothing = {};

/** Chooses the group that the site gives new tokens, until the user chooses one. */
function useUsualGroup(form: TokenForm): void {
  const { data: groups = {} } = useQuery(usableGroupsQuery);
  const usual = Object.keys(groups).find((name) => groups[name]?.is_default === true);
  const { initialize } = form;
  useEffect(() => {
    if (usual !== undefined) initialize({ ...emptyToken, group: usual });
  }, [initialize, usual]);
}

/** The keys right after they were made: the only place that shows them in full; the list copies them as well. */
function MadeTokens({ tokens, onClose }: { tokens: readonly Token[]; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <MadeRecords
      title={t('tokens.made.title', { count: tokens.length })}
      text={t('tokens.made.text', { count: tokens.length })}
      actions={
        tokens.length > 1 ? (
          <CopyButton label={t('tokens.made.copy_all')} text={tokens.map((token) => `sk-${token.key}`).join('\n')} />
        ) : (
          tokens.map(({ id }) => (
            <Button key={id} renderRoot={(attributes) => <Link {...attributes} to="/first-call" search={{ token: String(id) }} />}>
              {t('tokens.action.connect')}
            </Button>
          ))
        )
      }
      onClose={onClose}
    >
      {tokens.map((token) => (
        <li key={token.id}>
          <b>{token.name}</b>
          <span className={`${layout.row} ${layout.spread}`} data-autofocus>
            <code>sk-{token.key}</code>
            <CopyIcon text={`sk-${token.key}`} label={t('tokens.action.copy_named', { name: token.name })} />
          </span>
          {tokens.length === 1 && <TestToken token={token} />}
        </li>
      ))}
    </MadeRecords>
  );
}
