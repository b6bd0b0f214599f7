import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { EditLabel } from '#pwa/ui/form/edit-label.tsx';
import { typeName } from './channel-cells.tsx';
import { type ChannelField, textOf } from './channel-values.ts';
import type { EditedChannel } from './use-channel-form.ts';

/** Labels that show what a changed field held before. */
export function useFieldLabels({ isNew, before, changed }: EditedChannel): (field: ChannelField, name?: string) => ReactNode {
  const { t } = useTranslation();
  return (field, name) => {
    const isShort =
      field === 'name' || field === 'priority' || field === 'weight' || field === 'tag' || field === 'remark' || field === 'other';
    const was =
      isNew || !changed.includes(field) ? undefined : field === 'type' ? typeName(before.type) : isShort ? textOf(before, field) : true;
    return <EditLabel was={was}>{name ?? t(`channel.field.${field}`)}</EditLabel>;
  };
}
