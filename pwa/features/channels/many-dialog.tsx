import { Button, NumberInput, TagsInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type BulkResult, channelTagApi } from '#shared/channel-tags.ts';
import { call } from '#pwa/api/call.ts';
import { groupsQuery } from '#pwa/api/groups.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { JsonField } from '#pwa/ui/form/json-field.tsx';
import { SwitchRow } from '#pwa/ui/form/switch-row.tsx';
import { Dialog } from '#pwa/ui/frame/dialog.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { bulkBody, emptyMany, manyProblems, type ManyValues, tagBody } from './many-values.ts';
import styles from './many-dialog.module.css';
import { modelsByTypeQuery } from './queries.ts';
import type { ChannelActions } from './use-channel-actions.ts';

interface ManyDialogProps {
  /** The channels, or the tag whose channels they are. */
  of: { ids: readonly number[] } | { tag: string; ids: readonly number[] };
  actions: Pick<ChannelActions, 'refresh'>;
  onClose: () => void;
}

/** Changes many channels alike. What is left empty stays as it is in each. */
export function ManyDialog(props: ManyDialogProps) {
  const { of, onClose } = props;
  const { t } = useTranslation();
  const { form, tag, isEmpty, isPending, failed, save } = useManyForm(props);
  return (
    <Dialog
      title={tag === undefined ? t('channels.many.title', { count: of.ids.length }) : t('channels.many.title_tag', { tag })}
      onClose={onClose}
    >
      <form noValidate className={layout.stackMd} onSubmit={form.onSubmit(save)}>
        <p className={typography.muted}>{t('channels.many.hint')}</p>
        <TextInput label={t('channel.field.tag')} disabled={form.values.removesTag} {...form.getInputProps('tag')} />
        <SwitchRow
          label={t(tag === undefined ? 'channels.many.remove_tag' : 'channels.many.dissolve_tag')}
          {...form.getInputProps('removesTag', { type: 'checkbox' })}
        />
        <div className={styles.two}>
          <NumberInput label={t('channel.field.priority')} allowDecimal={false} inputMode="text" {...form.getInputProps('priority')} />
          <NumberInput
            label={t('channel.field.weight')}
            allowDecimal={false}
            allowNegative={false}
            inputMode="numeric"
            {...form.getInputProps('weight')}
          />
        </div>
        <ModelFields form={form} isOfTag={tag !== undefined} />
        <Failures failed={failed} />
        <span className={styles.foot}>
          <Button variant="subtle" onClick={onClose}>
            {t('common.action.cancel')}
          </Button>
          <OnlineButton
            variant="filled"
            type="submit"
            loading={isPending}
            disabled={isEmpty}
            label={t('channels.many.save', { count: of.ids.length })}
          />
        </span>
      </form>
    </Dialog>
  );
}

function useManyForm({ of, actions, onClose }: ManyDialogProps) {
  const { t } = useTranslation();
  const tag = 'tag' in of ? of.tag : undefined;
  const [failed, setFailed] = useState<BulkResult['failed']>([]);
  const form = useForm<ManyValues>({
    initialValues: { ...emptyMany, tag: tag ?? '' },
    validate: (values) =>
      Object.fromEntries(Object.entries(manyProblems(values)).map(([field, problem]) => [field, t(`channel.problem.${problem}`)])),
  });
  const body = tag === undefined ? bulkBody(of.ids, form.values) : null;
  const tagEdit = tag === undefined ? null : tagBody(tag, form.values);
  const { mutate, isPending } = useMutation({
    mutationFn: async (): Promise<BulkResult> => {
      if (body !== null) return call(channelTagApi.editMany, { body });
      if (tagEdit === null) return { changed: 0, same: 0, failed: [] };
      return { changed: await call(channelTagApi.editTag, { body: tagEdit }), same: 0, failed: [] };
    },
    onSuccess: (result) => {
      setFailed(result.failed);
      toastSuccess(t('channels.many.done', { count: result.changed }));
      if (result.failed.length === 0) onClose();
    },
    onSettled: actions.refresh,
  });
  const save = (): void => {
    if (!isPending) mutate();
  };
  return { form, tag, isEmpty: body === null && tagEdit === null, isPending, failed, save };
}

/** As many as a person reads. */
const failuresShown = 20;

function Failures({ failed }: Pick<BulkResult, 'failed'>) {
  if (failed.length === 0) return null;
  return (
    <div role="alert">
      <ul className={`${layout.stackXs} ${styles.failed}`}>
        {failed.slice(0, failuresShown).map(({ id, message }) => (
          <li key={id}>
            <StatusMark status="failed">{`#${id} ${message}`}</StatusMark>
          </li>
        ))}
      </ul>
    </div>
  );
}

type ManyForm = Pick<ReturnType<typeof useForm<ManyValues>>, 'values' | 'errors' | 'getInputProps' | 'setFieldValue'>;

function ModelFields({ form, isOfTag }: { form: ManyForm; isOfTag: boolean }) {
  const { t } = useTranslation();
  const groups = useQuery(groupsQuery);
  const byType = useQuery(modelsByTypeQuery);
  const known = [...new Set(Object.values(byType.data ?? {}).flat())].sort();
  const fields = isOfTag ? (['models'] as const) : (['models_added', 'models_removed'] as const);
  return (
    <>
      <TagsInput label={t('channels.many.groups')} data={groups.data ?? []} splitChars={[',', '，']} {...form.getInputProps('groups')} />
      {fields.map((field) => (
        <TagsInput
          key={field}
          label={t(`channels.many.${field}`)}
          data={known}
          limit={60}
          splitChars={[',', '，', '\n', ' ']}
          {...form.getInputProps(field)}
        />
      ))}
      {isOfTag && (
        <JsonField
          label={t('channel.field.model_mapping')}
          description={t('channel.json_hint.model_mapping')}
          template={'{\n  "gpt-3.5-turbo": "gpt-3.5-turbo-0125"\n}'}
          minRows={2}
          value={form.values.model_mapping}
          error={form.errors.model_mapping}
          onChange={(text) => form.setFieldValue('model_mapping', text)}
        />
      )}
    </>
  );
}
