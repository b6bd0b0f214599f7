import type { ChannelRecord } from './channel.ts';

/** A deleted channel; removed once the deletion cannot be undone any more. */
export interface DeletedChannelRecord {
  /** Id of the channel. */
  id: number;
  channel: ChannelRecord;
  /** Milliseconds. */
  deleted_at: number;
}
