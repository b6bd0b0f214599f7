// Which of one's tokens are worth a look.
import { type Token, TokenStatus } from '#shared/tokens.ts';

export type OwnToken = Omit<Token, 'key'>;

export interface TokenNote {
  token: OwnToken;
  kind: 'empty' | 'budget_empty' | 'low' | 'budget_low' | 'expired' | 'expiring';
  /** Whole days until it expires. */
  days: number;
}

const daySeconds = 86_400;
const soonDays = 7;
/** Below this share of what was granted a token is low. */
const lowShare = 0.1;
/** Share of a budget below which its owner is usually notified for the last time. */
const lowBudgetShare = 0.2;

/** Tokens that stopped first, then those that will. Disabled tokens are left out. */
export function tokenNotes(tokens: readonly OwnToken[], now: number): TokenNote[] {
  const order: TokenNote['kind'][] = ['empty', 'budget_empty', 'low', 'budget_low', 'expiring', 'expired'];
  return tokens
    .flatMap((token): TokenNote[] => {
      const kind = kindOf(token, now);
      return kind === undefined ? [] : [{ token, kind, days: Math.max(0, Math.floor((token.expired_time - now) / daySeconds)) }];
    })
    .toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

function kindOf(token: OwnToken, now: number): TokenNote['kind'] | undefined {
  if (token.status === TokenStatus.disabled) return undefined;
  const isRecent = now - token.expired_time < soonDays * daySeconds;
  if (token.expired_time !== -1 && token.expired_time <= now) return isRecent ? 'expired' : undefined;
  if (!token.unlimited_quota && token.full_mark > 0) {
    if (token.remain_quota <= 0) return 'empty';
    if (token.remain_quota < token.full_mark * lowShare) return 'low';
  }
  const { tightest_budget: budget } = token;
  if (budget !== undefined && (budget.ends_at === 0 || budget.ends_at > now)) {
    if (budget.left <= 0) return 'budget_empty';
    if (budget.left <= budget.amount * lowBudgetShare) return 'budget_low';
  }
  return token.expired_time !== -1 && token.expired_time - now < soonDays * daySeconds ? 'expiring' : undefined;
}
