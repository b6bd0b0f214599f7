// Failures of a form, found by the form or refused by the server, are shown at the field that they concern.
interface FieldFailure {
  message: string;
  field: string | undefined;
}

/** Shows a refusal at its field. Returns false if the form has no such field, so that the caller shows the refusal. */
export function showOnField(
  form: { getValues: () => object; setFieldError: (field: string, message: string) => void },
  failure: FieldFailure,
): boolean {
  if (failure.field === undefined || !(failure.field in form.getValues())) return false;
  form.setFieldError(failure.field, failure.message);
  return true;
}

/** Problems by field, in words. */
export function problemTexts<Problem>(
  problems: object & Partial<Record<string, Problem>>,
  textOf: (problem: Problem, field: string) => string,
) {
  return Object.fromEntries(
    Object.entries(problems).flatMap(([field, problem]) => (problem === undefined ? [] : [[field, textOf(problem, field)]])),
  );
}

export function focusFirstError(formId: string): void {
  // The fields get their marks with the next paint.
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`#${formId} [aria-invalid=true]`)?.focus());
}
