import type { ChannelTag } from '#shared/channel-tags.ts';
import type { Channel } from '#shared/channels.ts';
import type { RowGroup } from '#pwa/ui/list/data-list.tsx';
import type { Selection } from '#pwa/ui/list/selection.ts';
import type { AskedOfChannels } from './channel-dialog.tsx';
import { type TagCommand, TagHead, TagSums } from './tag-head.tsx';
import type { ChannelControls } from './use-channel-controls.ts';

interface TagGroupOptions {
  /** Undefined: channels do not stand under their tags. */
  tags: ReadonlyMap<string, ChannelTag> | undefined;
  selection: Selection<number>;
  controls: ChannelControls;
  onAsk: (asked: AskedOfChannels) => void;
}

/** The headings of a list of channels under their tags. */
export function useTagGroup({ tags, selection, controls, onAsk }: TagGroupOptions): ((channel: Channel) => RowGroup) | undefined {
  function handleTag(command: TagCommand, { tag, ids }: ChannelTag): void {
    if (command === 'edit_tag') onAsk({ kind: 'edit_many', of: { tag, ids } });
    else if (command === 'disable_tag') onAsk({ kind: 'disable_tag', tag, count: ids.length });
    // Stops nothing; a failure has been toasted.
    else void controls.actions.setTag(tag, true).catch(() => {});
  }
  if (tags === undefined) return undefined;
  return ({ tag }) => ({
    key: tag,
    label: <TagHead tag={tag} totals={tags.get(tag)} selection={selection} />,
    sum: <TagSums tag={tag} totals={tags.get(tag)} figures={controls.figures} onCommand={handleTag} />,
  });
}
