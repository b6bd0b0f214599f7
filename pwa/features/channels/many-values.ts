// What the dialog that changes many channels holds and sends: what is left empty stays as it is.
import type { ChannelBulkEdit, channelTagApi } from '#shared/channel-tags.ts';
import type { BodyInput } from '#shared/contract.ts';
import { isChannelText } from '#shared/channel-rules.ts';
import { jsonFault } from '#pwa/ui/form/json-field.tsx';

export interface ManyValues {
  tag: string;
  removesTag: boolean;
  priority: number | '';
  weight: number | '';
  groups: string[];
  /** Of a tag: all that its channels are to have. */
  models: string[];
  models_added: string[];
  models_removed: string[];
  model_mapping: string;
}

export const emptyMany: ManyValues = {
  tag: '',
  removesTag: false,
  priority: '',
  weight: '',
  groups: [],
  models: [],
  models_added: [],
  models_removed: [],
  model_mapping: '',
};

export type TagEditBody = BodyInput<typeof channelTagApi.editTag>;

/** What changes in the ticked channels; null: nothing. */
export function bulkBody(ids: readonly number[], values: ManyValues): ChannelBulkEdit | null {
  const { tag, removesTag, priority, weight, groups, models_added: added, models_removed: removed } = values;
  const body: ChannelBulkEdit = { ids: [...ids] };
  if (removesTag) body.tag = '';
  else if (tag.trim() !== '') body.tag = tag.trim();
  if (priority !== '') body.priority = priority;
  if (weight !== '') body.weight = weight;
  if (groups.length > 0) body.groups = groups;
  if (added.length > 0) body.models_added = added.join(',');
  if (removed.length > 0) body.models_removed = removed.join(',');
  return Object.keys(body).length === 1 ? null : body;
}

/** What changes in the channels of a tag; null: nothing. */
export function tagBody(tag: string, values: ManyValues): TagEditBody | null {
  const { tag: name, removesTag, priority, weight, groups, models, model_mapping: mapping } = values;
  const body: TagEditBody = { tag };
  if (removesTag) body.new_tag = '';
  else if (name.trim() !== '' && name.trim() !== tag) body.new_tag = name.trim();
  if (priority !== '') body.priority = priority;
  if (weight !== '') body.weight = weight;
  if (groups.length > 0) body.groups = groups;
  if (models.length > 0) body.models = models.join(',');
  if (mapping.trim() !== '') body.model_mapping = mapping.trim();
  return Object.keys(body).length === 1 ? null : body;
}

export type ManyProblem = 'text' | 'priority' | 'weight' | 'mapping_json';

/** What is wrong, by field. */
export function manyProblems({ tag, priority, weight, model_mapping }: ManyValues): Partial<Record<keyof ManyValues, ManyProblem>> {
  const isWhole = (value: number | '', least: number) => value === '' || (Number.isInteger(value) && value >= least && value <= 1_000_000);
  return {
    ...(isChannelText(tag.trim()) ? {} : { tag: 'text' as const }),
    ...(isWhole(priority, -999) ? {} : { priority: 'priority' as const }),
    ...(isWhole(weight, 0) ? {} : { weight: 'weight' as const }),
    ...(jsonFault(model_mapping) === undefined ? {} : { model_mapping: 'mapping_json' as const }),
  };
}
