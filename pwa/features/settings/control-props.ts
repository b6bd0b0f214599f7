import type { ReactNode } from 'react';
import type { SettingEntry } from './setting-entry.ts';

export interface ControlProps {
  entry: SettingEntry;
  /** What the field holds. */
  text: string;
  label: ReactNode;
  hint: string;
  error: string | undefined;
  disabled: boolean;
  /** A map stands open. */
  isOpen: boolean;
  /** Something of it was changed, or is wrong. */
  needsLook: boolean;
  onType: (text: string) => void;
}

/** The hint is under the label, which is next to the field where there is space. */
const order = ['label', 'description', 'input', 'error'] satisfies ('label' | 'input' | 'error' | 'description')[];

/** What stands around every field. */
export function around({ label, hint, error, disabled }: Pick<ControlProps, 'label' | 'hint' | 'error' | 'disabled'>) {
  return { label, description: hint, error, disabled, inputWrapperOrder: order };
}
