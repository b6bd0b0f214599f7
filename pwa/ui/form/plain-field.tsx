import { type InputHTMLAttributes, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { PlainIconButton } from '#pwa/ui/controls/plain-button.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './plain-field.module.css';

type PlainFieldProps = Pick<InputHTMLAttributes<HTMLInputElement>, 'name' | 'autoComplete' | 'autoFocus' | 'defaultValue'> & {
  label: string;
  error?: string | undefined;
};

/**
 * A text field with its label and its error, for the sign-in: it looks like the library's, which would be a thirtieth of
 * the first load. Screens that are loaded later use the library's fields.
 */
export function PlainField({ label, error, ...input }: PlainFieldProps) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        {...describedBy(id, error)}
        data-autofocus={input.autoFocus}
        id={id}
        className={styles.input}
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
      />
      <FieldError id={id} error={error} />
    </div>
  );
}

/** The same for a password, with a button that shows it. */
export function PlainPassword({ label, error, ...input }: PlainFieldProps) {
  const { t } = useTranslation();
  const id = useId();
  const [isShown, setShown] = useState(false);
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <span className={styles.password}>
        <input
          {...input}
          {...describedBy(id, error)}
          data-autofocus={input.autoFocus}
          id={id}
          className={styles.input}
          type={isShown ? 'text' : 'password'}
          spellCheck={false}
        />
        <PlainIconButton label={t('session.login.show_password')} aria-pressed={isShown} onClick={() => setShown(!isShown)}>
          <Icon name={isShown ? 'eye-off' : 'eye'} />
        </PlainIconButton>
      </span>
      <FieldError id={id} error={error} />
    </div>
  );
}

function FieldError({ id, error }: { id: string; error: string | undefined }) {
  if (error === undefined) return null;
  return (
    <p className={`${typography.small} ${styles.error}`} id={`${id}-error`}>
      {error}
    </p>
  );
}

function describedBy(id: string, error: string | undefined) {
  return error === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': `${id}-error` };
}
