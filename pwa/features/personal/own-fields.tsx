import type { ReactNode } from 'react';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './personal.module.css';
import type { OwnForm } from './use-own-form.ts';

/** Some fields of the form whose one button stands at the foot of the screen; Enter in a field saves, too. */
export function OwnFields({ form, children }: { form: OwnForm; children: ReactNode }) {
  return (
    <form
      className={`${layout.stackLg} ${styles.form}`}
      data-own
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        form.save();
      }}
    >
      {children}
      {/* Without one, Enter does nothing where there are several fields. */}
      <button type="submit" hidden />
    </form>
  );
}
