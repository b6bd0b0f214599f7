// What the server refuses stands beside the field it concerns.
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
