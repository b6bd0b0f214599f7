import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { balanceReasonLimit } from '#shared/user.ts';

interface ReasonFieldProps {
  label: string;
  /** Who reads it. */
  description: string;
  value: string;
  error: ReactNode;
  onChange: (reason: string) => void;
}

/** Reason for a change of a user's balance, in the words of the person who changes it. */
export function ReasonField({ onChange, ...input }: ReasonFieldProps) {
  return (
    <TextInput
      {...input}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      autoComplete="off"
      maxLength={balanceReasonLimit}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
