// An option of the installation.
import { Option, optionApi } from '#shared/options.ts';
import { call } from '#pwa/api/call.ts';
import type { EditKind } from './edit-kind.ts';

export const optionEdit: Omit<EditKind, 'owns'> = {
  save: ({ optionKey, mine, base }) => call(optionApi.save, { body: { key: optionKey, value: mine, revision: base.revision } }),
  theirs: (data) => {
    const current = Option.safeParse(data);
    if (!current.success) return undefined;
    const { value, revision, updated_by: changedBy, updated_at: changedAt } = current.data;
    return {
      value,
      revision,
      ...(changedBy === undefined ? {} : { changedBy }),
      ...(changedAt === undefined ? {} : { changedAt }),
    };
  },
  shownBy: 'options',
};
