// What is wrong with a form, or refused by the server, stands beside the field it concerns.
interface FieldFailure {
  message: string;
  field: string | undefined;
}

/** Shows a refusal at its field; false when the form has no such field, so that somebody else has to show it. */
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
