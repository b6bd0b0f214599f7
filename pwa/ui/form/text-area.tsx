import { Textarea, type TextareaProps } from '@mantine/core';
import type { Ref } from 'react';
import styles from './text-area.module.css';

interface TextAreaProps extends Omit<TextareaProps, 'autosize' | 'rows' | 'minRows' | 'maxRows' | 'classNames' | 'styles'> {
  minRows: number;
  maxRows: number;
  inputClassName?: string | undefined;
  ref?: Ref<HTMLTextAreaElement>;
}

/** Grows with its text, by CSS: measuring by script lays the page out once for each field, whenever one is opened. */
export function TextArea({ minRows, maxRows, inputClassName = '', ...props }: TextAreaProps) {
  return (
    <Textarea
      {...props}
      rows={minRows}
      classNames={{ input: `${styles.input} ${inputClassName}` }}
      styles={{ input: { '--min-rows': minRows, '--max-rows': maxRows } }}
    />
  );
}
