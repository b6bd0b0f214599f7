import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MadeRecords, NewRecordsPanel } from '#pwa/records/new-records-panel.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { CopyButton } from '#pwa/ui/controls/copy-text.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { saveText } from '#pwa/ui/controls/save-text.ts';
import { useCreateCodes } from './code-actions.ts';
import { CodeFields } from './code-fields.tsx';
import { createBody } from './code-form.ts';
import { useNewCodesForm } from './use-code-form.ts';

interface Made {
  name: string;
  keys: readonly string[];
}

export function NewCodesPanel({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [made, setMade] = useState<Made>();
  const create = useCreateCodes();
  const form = useNewCodesForm();
  if (made !== undefined) return <MadeCodes made={made} onClose={onClose} />;
  return (
    <NewRecordsPanel
      formId="new-codes"
      title={t('redemptions.panel.new')}
      label={t('redemptions.action.create')}
      form={form}
      create={create}
      bodyOf={(values) => createBody(values, format.quota(values.quota === '' ? 0 : values.quota))}
      onMade={(keys, { name = '' }) => setMade({ name, keys })}
      onClose={onClose}
    >
      <CodeFields form={form} isNew />
    </NewRecordsPanel>
  );
}

/** The codes right after they were made, to be handed on. */
function MadeCodes({ made: { name, keys }, onClose }: { made: Made; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <MadeRecords
      title={t('redemptions.made.title', { count: keys.length })}
      text={t('redemptions.made.text', { count: keys.length, name })}
      actions={
        <>
          <Button leftSection={<Icon name="download" />} onClick={() => saveText(`${name}.txt`, `${keys.join('\n')}\n`)}>
            {t('redemptions.made.download')}
          </Button>
          <CopyButton label={t('redemptions.made.copy_all')} text={keys.join('\n')} />
        </>
      }
      onClose={onClose}
    >
      {keys.map((key) => (
        <li key={key}>
          <code>{key}</code>
        </li>
      ))}
    </MadeRecords>
  );
}
