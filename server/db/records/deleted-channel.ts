import type { ChannelRecord } from './channel.ts';

/** A channel as it was when it was deleted; swept as soon as the deletion cannot be taken back any more. */
export interface DeletedChannelRecord {
  /** The channel's. */
  id: number;
  channel: ChannelRecord;
  /** Milliseconds. */
  deleted_at: number;
}
