import { Button, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { actFor } from '#pwa/api/acting.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { refusalOf, useFound } from './queries.ts';

const formId = 'found-organisation';

/** Founds an organisation; its founder is its owner, and acts for it from then on. */
export function FoundPanel({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [isMissing, setMissing] = useState(false);
  const found = useFound();

  function handleSubmit(event: FormEvent): void {
    event.preventDefault();
    const tidy = name.trim();
    setMissing(tidy === '');
    if (tidy === '' || found.isPending) return;
    found.mutate(tidy, {
      onSuccess: (organisation) => {
        actFor({ ...organisation, role: organisation.role ?? 'owner' });
        void navigate({ to: '/organisation/$id', params: { id: String(organisation.id) } });
      },
    });
  }
  return (
    <SidePanel
      title={t('organisations.found.title')}
      takesFocus
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t('common.action.cancel')}</Button>
          <OnlineButton variant="filled" type="submit" form={formId} loading={found.isPending} label={t('organisations.found.submit')} />
        </>
      }
    >
      <form id={formId} className={layout.stackLg} noValidate onSubmit={handleSubmit}>
        <TextInput
          label={t('organisations.field.name')}
          maxLength={60}
          autoComplete="organization"
          value={name}
          error={isMissing ? t('organisations.problem.name_required') : undefined}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <p className={typography.note}>{t('organisations.found.text')}</p>
        <Refusal text={refusalOf(found.error)} />
      </form>
    </SidePanel>
  );
}
