import type { UseMutationResult } from '@tanstack/react-query';
import type { z } from 'zod/mini';
import { showOnField } from '#pwa/ui/form/field-errors.ts';
import { failureOf, newerRecord, refusalText } from './failure.ts';

/** What `useRecordForm` gives of a record that is there. */
interface EditedRecord<Row, Values> {
  form: { errors: object; getValues: () => Values; setFieldError: (field: string, message: string) => void };
  base: Row;
  setTheirs: (theirs: Row) => void;
  follow: (sent: Values, stored: Row) => void;
}

interface RecordSave<Row, Values, Body> {
  edit: UseMutationResult<Row, Error, Body>;
  schema: z.core.$ZodType<Row>;
  /** What was changed, with the record's id and the revision that it is based on. */
  bodyOf: (values: Values, base: Row, revision: number) => Body;
}

/** Saves what the form changed. A refusal that stands at no field is returned. */
export function useRecordSave<Row extends { revision: number }, Values extends object, Body extends object>(
  { form, base, setTheirs, follow }: EditedRecord<Row, Values>,
  { edit, schema, bodyOf }: RecordSave<Row, Values, Body>,
) {
  /** @param newest what others saved meanwhile: the form's changes are written over it */
  function save(newest = base): void {
    const sent = form.getValues();
    const body = bodyOf(sent, base, newest.revision);
    if (isUnchanged(body)) return;
    edit.mutate(body, {
      onSuccess: (stored) => follow(sent, stored),
      onError: (error) => {
        const theirs = newerRecord(error, schema);
        if (theirs !== undefined) setTheirs(theirs);
        else showOnField(form, failureOf(error));
      },
    });
  }
  const isConflict = newerRecord(edit.error, schema) !== undefined;
  return { save, isPending: edit.isPending, refusal: isConflict ? undefined : refusalText(edit.error, form) };
}

/** The body says nothing but which record it means. */
export function isUnchanged(body: object): boolean {
  return Object.keys(body).every((key) => key === 'id' || key === 'revision');
}
