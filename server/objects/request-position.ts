// Position of a batch request, for errors.
import { AppError, detailText, errorText, type LocalText } from '#shared/errors.ts';

/** Position of a request. */
export interface Place {
  field: string;
  said: LocalText;
}

/** @param field field that names the file */
export function lineNamed(number: number, field = 'input_file_id'): Place {
  return { field, said: { zh: `第 ${number} 行`, en: `line ${number}` } };
}

export function itemNamed(index: number): Place {
  const field = `requests.${index}`;
  return { field, said: { zh: field, en: field } };
}

/** Adds the position to an error. */
export function ofPlace(place: Place, failure: AppError): AppError {
  const { code, details } = failure;
  const { detail: own } = details;
  const said = (language: 'zh' | 'en') =>
    code === 'invalid_request' && typeof own === 'object' ? detailText(own, language) : errorText(code, language, details);
  const detail = { zh: `${place.said.zh}：${said('zh')}`, en: `${place.said.en}: ${said('en')}` };
  return new AppError('invalid_request', { detail }, { field: place.field, cause: failure });
}
