// What mappers return: a source row as a draft of Tidegate's record, with notes about everything that is not taken over.
import type { LocalText } from '#shared/errors.ts';
import type { ImportReason } from '#shared/import-reasons.ts';
import type { ChannelKeyRecord } from '#server/db/records/channel-key.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { OrderRecord } from '#server/db/records/order.ts';
import type { RedemptionRecord } from '#server/db/records/redemption.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { MoneyFields } from '#server/db/records/money-fields.ts';

/** One remark about a row. It holds no secret. */
export interface RowNote {
  reason: ImportReason;
  /** Fills the reason's text; of a bounded vocabulary, because notes are summed by it. */
  detail?: string | LocalText;
  /** Quota that the remark is about. */
  quota?: number;
}

/** Money of a row, in quota. */
export interface RowMoney {
  /** Balance of an account, worth of an unused code, charge of a log row. */
  amount: number;
  /** Used before. */
  used: number;
}

export const noMoney: RowMoney = { amount: 0, used: 0 };

export interface MappedRow<Draft> {
  /** Identifies the row in the source; unique within its kind. */
  oldId: string;
  /** Shown in the report. */
  name: string;
  draft: Draft | null;
  /** Why it is left out, if there is no draft. */
  leftOut?: RowNote;
  notes: readonly RowNote[];
  money: RowMoney;
}

/** Old ids of other rows; the number is drawn when those are known. Empty for none. */
interface Owned {
  userRef: string;
}

export type UserDraft = Omit<UserRecord, 'id' | 'inviter_id' | 'quota' | 'used_quota' | keyof MoneyFields> & {
  inviterRef: string;
};

export type TokenDraft = Omit<TokenRecord, 'id' | 'user_id' | 'remain_quota' | 'used_quota' | 'charged_quota' | keyof MoneyFields> & Owned;

/** `keys` is empty for a channel with one key. */
export type ChannelDraft = Omit<ChannelRecord, 'id'> & { keys: readonly KeyDraft[] };
export type KeyDraft = Pick<ChannelKeyRecord, 'key_cipher' | 'key_hash' | 'ending' | 'status'>;

export type CodeDraft = Omit<RedemptionRecord, 'id' | 'user_id' | 'used_user_id'> & { makerRef: string; redeemerRef: string };

export type OrderDraft = Omit<OrderRecord, 'id' | 'user_id'> & Owned;

export type TaskDraft = Omit<TaskRecord, 'id' | 'user_id' | 'token_id' | 'channel_id'> & Owned & { tokenRef: string; channelRef: string };

export type LogDraft = Omit<LogRecord, 'id' | 'user_id' | 'token_id' | 'channel_id'> & Owned & { tokenRef: string; channelRef: string };

export interface Drafts {
  user: UserDraft;
  token: TokenDraft;
  channel: ChannelDraft;
  code: CodeDraft;
  order: OrderDraft;
  task: TaskDraft;
  log: LogDraft;
}
export type DraftKind = keyof Drafts;

/** The amount is repeated in the note, so that no money is left out in silence. */
export function leftOut(oldId: string, name: string, note: RowNote, money: RowMoney = noMoney): MappedRow<never> {
  const withMoney = money.amount === 0 || note.quota !== undefined ? note : { ...note, quota: money.amount };
  return { oldId, name, draft: null, leftOut: withMoney, notes: [], money };
}
