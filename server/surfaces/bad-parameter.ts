// Error of a query parameter.
import { AppError, type LocalText } from '#shared/errors.ts';

/** @returns 400 with the parameter at fault */
export function badParameter(name: string, rule: LocalText): AppError {
  return new AppError('invalid_request', { detail: { zh: `${name} ${rule.zh}`, en: `${name} ${rule.en}` } }, { field: name });
}
