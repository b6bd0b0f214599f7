import { useForm } from '@mantine/form';
import { useEffect, useState } from 'react';

interface RecordForm<Row, Values> {
  /** The record as it is now; undefined: the form makes a new one. */
  record: Row;
  valuesOf: (record: Row) => Values;
  /** What is wrong, by field, in words. */
  problems: (values: Values, base: Row) => Record<string, string>;
  /** Whether anything is typed; absent: what is not as it began. */
  isTouched?: (values: Values, base: Row) => boolean;
  /** Whether an untouched form is to show the record instead of what it started from. */
  isNewer: (record: Row, base: Row) => boolean;
  /** Fields that mean something only together. */
  together?: readonly (keyof Values)[];
}

/**
 * A form that edits a record which others may edit meanwhile. `base` is what its changes are measured against; it moves on
 * with every save, and with what others save as long as nothing is typed here.
 */
export function useRecordForm<Row, Values extends object>({
  record,
  valuesOf,
  problems,
  isTouched,
  isNewer,
  together = [],
}: RecordForm<Row, Values>) {
  const [base, setBase] = useState(record);
  /** What others saved, when a save was refused for it. */
  const [theirs, setTheirs] = useState<NonNullable<Row>>();
  const form = useForm<Values>({ initialValues: valuesOf(base), validate: (values) => problems(values, base) });

  function start(from: Row): void {
    const values = valuesOf(from);
    setBase(from);
    setTheirs(undefined);
    form.setInitialValues(values);
    form.setValues(values);
    form.resetDirty(values);
    form.clearErrors();
  }
  /** After a save of `sent`: what was typed since then stays, as an edit of what is stored now. */
  function follow(sent: Values, stored: Row): void {
    const typed = form.getValues();
    const isTyped = (field: keyof Values): boolean => JSON.stringify(typed[field]) !== JSON.stringify(sent[field]);
    const next = valuesOf(stored);
    start(stored);
    for (const field in next) {
      if (isTyped(field) || (together.includes(field) && together.some(isTyped))) next[field] = typed[field];
    }
    form.setValues(next);
  }
  useEffect(() => {
    const isUntouched = isTouched === undefined ? !form.isDirty() : !isTouched(form.values, base);
    if (isUntouched && isNewer(record, base)) start(record);
  });
  return { form, base, setBase, theirs, setTheirs, start, follow };
}
