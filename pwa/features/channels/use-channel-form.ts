import { useTranslation } from 'react-i18next';
import { keyFormsText } from '#shared/channel-type-rules.ts';
import type { Channel } from '#shared/channels.ts';
import { Role } from '#shared/roles.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { currentLanguage } from '#pwa/i18n/setup.ts';
import { problemTexts } from '#pwa/ui/form/field-errors.ts';
import { useRecordForm } from '#pwa/ui/form/use-record-form.ts';
import { needsKeyAgain, changedFields, channelProblems, type ChannelValues, emptyValues, valuesOf, wrongKeyOf } from './channel-values.ts';

/** The form of a channel; of a new one without a channel. */
export function useChannelForm(channel: Channel | undefined) {
  const { t } = useTranslation();
  const role = useStoredUser()?.role ?? Role.guest;
  const isNew = channel === undefined;
  const needsKey = (values: ChannelValues, base: Channel | undefined): boolean =>
    needsKeyAgain(base === undefined ? undefined : valuesOf(base), values, role);
  const edited = useRecordForm({
    record: channel,
    valuesOf: startValues,
    problems: (values, base) =>
      problemTexts(channelProblems(values, { isNew, needsKey: needsKey(values, base) }), (problem, field) => {
        const text = t(`channel.problem.${problem}`, { forms: keyFormsText(values.type)[currentLanguage()] });
        const number = field === 'key' ? wrongKeyOf(values) : undefined;
        return number === undefined ? text : t('channel.problem.key_number', { number, problem: text });
      }),
    isTouched: (values, base) => changedFields(startValues(base), values).length > 0,
    isNewer: (record, base) => record !== undefined && base !== undefined && record.revision > base.revision,
  });
  const { form, base } = edited;
  /** What the form started from. */
  const before = startValues(base);
  return { ...edited, isNew, before, changed: changedFields(before, form.values), needsKey: needsKey(form.values, base) };
}
export type EditedChannel = ReturnType<typeof useChannelForm>;

function startValues(channel: Channel | undefined): ChannelValues {
  return channel === undefined ? emptyValues : valuesOf(channel);
}
