import { useTranslation } from 'react-i18next';
import { SwitchRow } from '#pwa/ui/form/switch-row.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import { OwnFields } from './own-fields.tsx';
import { QueuedMark } from './queued-mark.tsx';
import type { OwnForm } from './use-own-form.ts';

const key = 'accept_unset_model_ratio_model';

/** Whether calls of models without a price go through. */
export function UnpricedBlock({ form }: { form: OwnForm }) {
  const { t } = useTranslation();
  const [edit] = form.waiting([key]);
  const aside = edit !== undefined && <QueuedMark isInConflict={edit.state === 'conflict'}>{t('personal.unpriced.waiting')}</QueuedMark>;
  return (
    <Block title={t('personal.unpriced.title')} aside={aside}>
      <OwnFields form={form}>
        <SwitchRow
          label={t('personal.unpriced.label')}
          description={t('personal.unpriced.hint')}
          checked={form.value(key) === 'true'}
          disabled={form.isSaving}
          onChange={(event) => form.change(key, String(event.currentTarget.checked))}
        />
      </OwnFields>
    </Block>
  );
}
