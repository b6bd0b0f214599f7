import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { displayNameLimit } from '#shared/user.ts';
import { ownNameKey } from '#pwa/offline/edits/own-setting.ts';
import { Block } from '#pwa/ui/frame/block.tsx';
import { OwnFields } from './own-fields.tsx';
import { QueuedMark } from './queued-mark.tsx';
import type { OwnForm } from './use-own-form.ts';

/** The shown name. */
export function NameForm({ form }: { form: OwnForm }) {
  const { t } = useTranslation();
  const [queued] = form.waiting([ownNameKey]);
  const aside = queued !== undefined && (
    <QueuedMark isInConflict={queued.state === 'conflict'}>{t('personal.name.waiting', { name: queued.mine })}</QueuedMark>
  );
  return (
    <Block title={t('personal.name.title')} aside={aside}>
      <OwnFields form={form}>
        <TextInput
          label={t('personal.name.label')}
          description={t('personal.name.hint', { limit: displayNameLimit })}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          autoComplete="nickname"
          value={form.value(ownNameKey)}
          error={form.problems[ownNameKey]}
          onChange={(event) => form.change(ownNameKey, event.currentTarget.value)}
        />
      </OwnFields>
    </Block>
  );
}
