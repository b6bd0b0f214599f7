import { useTranslation } from 'react-i18next';
import type { ChannelTag } from '#shared/channel-tags.ts';
import type { Channel } from '#shared/channels.ts';
import type { RowGroup } from '#pwa/ui/list/data-list.tsx';
import type { Selection } from '#pwa/ui/list/selection.ts';
import type { FoldedTags } from './folded-tags.ts';
import type { ChannelAction } from './channel-dialog.tsx';
import { sumTags, tagCells } from './tag-cells.tsx';
import { type TagCommand, TagHead, TagMenu, TagSums } from './tag-head.tsx';
import type { ChannelControls } from './use-channel-controls.ts';

interface TagGroupOptions {
  /** Undefined: channels do not stand under their tags. */
  tags: ReadonlyMap<string, ChannelTag> | undefined;
  /** What the totals are of is all that is listed. */
  isWhole: boolean;
  selection: Selection<number>;
  controls: ChannelControls;
  folded: FoldedTags;
  onAsk: (action: ChannelAction) => void;
}

/** The headings of a list of channels under their tags, and the sum that ends it; as `DataList` takes them. */
export function useTagGroup({ tags, isWhole, selection, controls, folded, onAsk }: TagGroupOptions): {
  group?: (channel: Channel) => RowGroup;
  total?: RowGroup;
} {
  const { t } = useTranslation();
  const { figures } = controls;
  function handleTag(command: TagCommand, { tag, ids }: ChannelTag): void {
    if (command === 'edit_tag') onAsk({ kind: 'edit_many', of: { tag, ids } });
    else if (command === 'disable_tag') onAsk({ kind: 'disable_tag', tag, count: ids.length });
    // Stops nothing; a failure has been toasted.
    else void controls.actions.setTag(tag, true).catch(() => {});
  }
  if (tags === undefined) return {};
  const group = ({ tag }: Channel): RowGroup => {
    const totals = tags.get(tag);
    const menu = tag === '' || totals === undefined ? undefined : <TagMenu totals={totals} onCommand={handleTag} />;
    return {
      key: tag,
      isFolded: folded.has(tag),
      label: (
        <TagHead
          name={tag === '' ? t('channels.tag.none') : tag}
          totals={totals}
          selection={selection}
          isFolded={folded.has(tag)}
          onFold={(isFolded) => folded.set([tag], isFolded)}
        />
      ),
      sum: <TagSums totals={totals}>{menu}</TagSums>,
      cells: totals === undefined ? {} : tagCells(totals, figures, menu),
    };
  };
  // The sum of one tag is that tag.
  if (!isWhole || tags.size < 2) return { group };
  const all = sumTags([...tags.values()]);
  const isFolded = [...tags.keys()].every((tag) => folded.has(tag));
  const total: RowGroup = {
    key: 'total',
    label: <TagHead name={t('channels.tag.all')} totals={all} isFolded={isFolded} onFold={(next) => folded.set([...tags.keys()], next)} />,
    sum: <TagSums totals={all} />,
    cells: tagCells(all, figures),
  };
  return { group, total };
}
