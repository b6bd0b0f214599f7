import { Switch } from '@mantine/core';
import type { SwitchProps } from '@mantine/core';
import styles from './switch-row.module.css';

/** A switch at the end of its line, with its name and what it does before it. */
export function SwitchRow(props: Omit<SwitchProps, 'classNames' | 'labelPosition'>) {
  const { body, words, label, hint } = styles;
  return <Switch classNames={{ body, labelWrapper: words, label, description: hint }} labelPosition="left" {...props} />;
}
