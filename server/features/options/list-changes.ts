import { isSecret, isSettingKey, mayWriteSetting, type SettingKey } from '#shared/settings.ts';
import type { Page } from '#shared/paging.ts';
import type { OptionChange } from '#shared/options.ts';
import type { AppContext } from '#server/context.ts';
import type { OptionChangeRecord } from '#server/db/records/option-change.ts';
import { exactTotal, pageResponse, pageBounds } from '#server/http/paging.ts';
import { defaultText } from '#server/settings/defaults.ts';
import { finishOptionWrites } from '#server/settings/option-writes.ts';
import { editorNames } from './present-option.ts';
import { undoneText } from './undo-change.ts';

interface ChangeQuery {
  p?: number | undefined;
  page_size?: number | undefined;
  keys?: string | undefined;
}

/** A page of changes, newest first, each with whether this person can take it back now. */
export async function listChanges(context: AppContext, query: ChangeQuery, role: number): Promise<Page<OptionChange>> {
  const { db } = context;
  await finishOptionWrites(context);
  const keys = query.keys?.split(',').map((key) => key.trim());
  const filter = keys === undefined ? {} : { key: { in: keys } };
  const changes = db.collection('option_changes');
  const bounds = pageBounds(query);
  const [found, count] = await Promise.all([
    changes.find(filter, { sort: [['id', -1]], skip: bounds.skip, limit: bounds.size }),
    changes.count(filter, exactTotal + 1),
  ]);
  const rows = await db.collection('options').find({ id: { in: [...new Set(found.map(({ key }) => key))] } });
  const values = new Map(rows.map((row) => [row.id, row.value]));
  const names = await editorNames(
    db,
    found.map(({ actor_id: actor }) => actor),
  );
  const valueOf = (key: SettingKey) => values.get(key) ?? defaultText(key);
  const present = ({ actor_id: actor, ...change }: OptionChangeRecord): OptionChange => {
    const canUndo =
      isSettingKey(change.key) &&
      !isSecret(change.key) &&
      mayWriteSetting(change.key, role) &&
      typeof undoneText({ ...change, actor_id: actor }, valueOf(change.key)) === 'object';
    return { ...change, username: names.get(actor) ?? '', can_undo: canUndo };
  };
  return pageResponse(found.map(present), bounds, count);
}
