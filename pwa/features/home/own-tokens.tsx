import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useConnection } from '#pwa/offline/online-status.tsx';
import { BalanceMeter } from '#pwa/ui/billing/balance-meter.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { AsOf } from '#pwa/ui/frame/as-of.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { RowsShape } from '#pwa/ui/frame/shapes.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './home-screen.module.css';
import { ownTokensQuery } from './queries.ts';
import { TodoLine } from './todo-line.tsx';
import { type OwnToken, type TokenNote, tokenNotes } from './token-notes.ts';

const shownTokens = 5;
const shownNotes = 5;

/** What of the own tokens is worth a look, and how full they are. */
export function OwnTokens() {
  const { t } = useTranslation();
  const query = useQuery(ownTokensQuery);
  const isStale = useConnection() !== 'online';
  const notes = tokenNotes(query.data ?? [], Date.now() / 1000);
  const title = t('home.tokens.title');
  return (
    <>
      {notes.length > 0 && (
        <Block title={t('home.tokens.look')} aside={<span className={`${typography.note} ${styles.aside}`}>{notes.length}</span>}>
          <ul className={styles.todo}>
            {notes.slice(0, shownNotes).map((note) => (
              <Note key={note.token.id} note={note} />
            ))}
          </ul>
        </Block>
      )}
      <Block
        title={title}
        aside={
          <span className={`${typography.note} ${styles.aside}`}>
            <AsOf at={query.dataUpdatedAt} isStale={isStale} />
            <Link className={styles.link} to="/token" search={{}}>
              {t('home.tokens.all')}
            </Link>
          </span>
        }
      >
        <QueryState query={query} what={title} shape={<RowsShape rows={3} isTall />}>
          {(tokens) =>
            tokens.length === 0 ? (
              <p className={styles.none}>{t('home.tokens.none')}</p>
            ) : (
              <ul className={styles.tokens}>
                {tokens
                  .toSorted((a, b) => b.accessed_time - a.accessed_time)
                  .slice(0, shownTokens)
                  .map((token) => (
                    <Level key={token.id} token={token} />
                  ))}
              </ul>
            )
          }
        </QueryState>
      </Block>
    </>
  );
}

function Note({ note: { token, kind, days } }: { note: TokenNote }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { tightest_budget: budget } = token;
  const isBudget = kind === 'budget_empty' || kind === 'budget_low';
  const left = isBudget && budget !== undefined ? budget.left : token.remain_quota;
  const values = { name: token.name, amount: format.quota(left), count: days };
  return (
    <TodoLine
      status={kind === 'empty' || kind === 'budget_empty' ? 'empty' : kind === 'expired' ? 'expired' : 'look'}
      what={t(`home.tokens.${kind}`, values)}
      why={why()}
      to="/token"
      search={{ open: String(token.id), ...(isBudget ? { part: 'limits' } : {}) }}
    />
  );

  function why(): string {
    if (kind === 'expiring' || kind === 'expired') return format.dateTime(token.expired_time);
    if (!isBudget) return t('home.tokens.stops');
    const until = budget?.ends_at ?? 0;
    return until === 0 ? t('home.tokens.budget_once') : t('home.tokens.budget_until', { time: format.dateTime(until) });
  }
}

function Level({ token }: { token: OwnToken }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <li>
      <Link className={styles.token} to="/token" search={{ open: String(token.id) }}>
        <BalanceMeter
          size="small"
          label={token.name}
          value={token.remain_quota}
          fullMark={token.full_mark}
          isUnlimited={token.unlimited_quota}
          valueText={token.unlimited_quota ? t('home.tokens.unlimited') : format.quota(token.remain_quota)}
        />
      </Link>
    </li>
  );
}
