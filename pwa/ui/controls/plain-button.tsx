import type { ButtonHTMLAttributes, ReactNode } from 'react';
import styles from './plain-button.module.css';

type PlainButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'type' | 'className'> & {
  type?: 'button' | 'submit';
  variant?: 'default' | 'filled' | 'subtle';
  icon?: ReactNode;
  isWide?: boolean;
  /** What it was pressed for is on its way. */
  isBusy?: boolean;
};

/**
 * A button for what is drawn before the component library is there (the sign-in, failures, toasts), and for rows, of which
 * there are hundreds. It looks like the library's.
 */
export function PlainButton(props: PlainButtonProps) {
  const { type = 'button', variant = 'default', icon, isWide = false, isBusy = false, disabled, children, ...button } = props;
  return (
    <button
      {...button}
      type={type === 'submit' ? 'submit' : 'button'}
      className={styles.button}
      data-variant={variant}
      data-wide={isWide || undefined}
      data-busy={isBusy || undefined}
      disabled={disabled === true || isBusy}
    >
      {icon}
      <span>{children}</span>
    </button>
  );
}

type PlainIconButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'type' | 'className' | 'aria-label'> & {
  label: string;
  isBusy?: boolean;
};

/** The same with an icon alone. */
export function PlainIconButton({ label, isBusy = false, disabled, ...button }: PlainIconButtonProps) {
  return (
    <button
      {...button}
      type="button"
      className={styles.icon}
      aria-label={label}
      data-busy={isBusy || undefined}
      disabled={disabled === true || isBusy}
    />
  );
}
