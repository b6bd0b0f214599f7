import type { UseMutationResult } from '@tanstack/react-query';
import type { z } from 'zod/mini';
import { failureOf, newerRecord, refusalText } from '#pwa/api/failure.ts';
import { showOnField } from '#pwa/ui/form/field-errors.ts';
import { useRecordForm } from '#pwa/ui/form/use-record-form.ts';

/** A record that others may edit too: its revision grows with every edit. */
export interface EditableRecord {
  id: number;
  name: string;
  revision: number;
}

interface RecordEdit<Row, Values, Body> {
  valuesOf: (record: Row) => Values;
  /** What is wrong, by field, in words. */
  problems: (values: Values, base: Row) => Record<string, string>;
  /** The call that saves; what it is refused with stands in the form. */
  edit: UseMutationResult<Row, Error, Body>;
  schema: z.core.$ZodType<Row>;
  /** What was changed, with the record's id and the revision that it is based on. */
  bodyOf: (values: Values, base: Row, revision: number) => Body;
}

/** The form of a record that is there, and its saves. A refusal that stands at no field is returned. */
export function useEditedRecord<Row extends EditableRecord, Values extends object, Body extends object>(
  record: Row,
  { valuesOf, problems, edit, schema, bodyOf }: RecordEdit<Row, Values, Body>,
) {
  const edited = useRecordForm({ record, valuesOf, problems, isNewer: (now, from) => now.revision > from.revision });
  const { form, base, theirs, setTheirs, start, follow } = edited;

  /** @param newest what others saved meanwhile: the form's changes are written over it */
  function save(newest = base): void {
    const sent = form.getValues();
    const body = bodyOf(sent, base, newest.revision);
    if (isUnchanged(body)) return;
    edit.mutate(body, {
      onSuccess: (stored) => follow(sent, stored),
      onError: (error) => {
        const newer = newerRecord(error, schema);
        if (newer !== undefined) setTheirs(newer);
        else showOnField(form, failureOf(error));
      },
    });
  }
  const isConflict = newerRecord(edit.error, schema) !== undefined;
  return {
    form,
    base,
    /** What others saved, when a save was refused for it. */
    theirs,
    /** Discards the input and starts from a record. */
    start,
    save,
    isSaving: edit.isPending,
    refusal: isConflict ? undefined : refusalText(edit.error, form),
    /** What the form would write, of the record's own fields. */
    changes: () => bodyOf(form.values, base, base.revision),
  };
}
export type EditedRecord<Row extends EditableRecord, Values extends object, Body extends object> = ReturnType<
  typeof useEditedRecord<Row, Values, Body>
>;

/** The body says nothing but which record it means. */
export function isUnchanged(body: object): boolean {
  return Object.keys(body).every((key) => key === 'id' || key === 'revision');
}
