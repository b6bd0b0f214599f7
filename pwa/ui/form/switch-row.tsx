import { Switch, type SwitchProps } from '@mantine/core';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './switch-row.module.css';

/** A switch at the end of its line, with its name and what it does before it. */
export function SwitchRow(props: Omit<SwitchProps, 'classNames' | 'labelPosition'>) {
  const classNames = {
    body: styles.body,
    labelWrapper: `${layout.fill} ${styles.words}`,
    label: styles.label,
    description: `${typography.note} ${styles.hint}`,
  };
  return <Switch classNames={classNames} labelPosition="left" {...props} />;
}
