import { Link, type LinkProps } from '@tanstack/react-router';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { type Status, StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import styles from './todo-line.module.css';

interface TodoLineProps {
  status: Status;
  what: string;
  /** Why, and since when. */
  why: string;
  to: LinkProps['to'];
  search: LinkProps['search'];
}

/** Something to do: a shape, what it is, why and since when. The whole line leads there. */
export function TodoLine({ status, what, why, to, search }: TodoLineProps) {
  return (
    <li>
      <Link className={styles.todoLine} to={to} search={search}>
        <span className={styles.todoWhat}>
          <StatusMark status={status} strong>
            {what}
          </StatusMark>
        </span>
        {why !== '' && <span className={styles.todoWhy}>{why}</span>}
        <Icon name="right" />
      </Link>
    </li>
  );
}
