// Where a request of a batch stands, for errors that name it.
import { AppError, detailText, errorText } from '#shared/errors.ts';
import type { LocalText } from '#shared/errors.ts';

/** Where a request stands. */
export interface Place {
  field: string;
  said: LocalText;
}

/** @param field the one that names the file */
export function lineNamed(number: number, field = 'input_file_id'): Place {
  return { field, said: { zh: `第 ${number} 行`, en: `line ${number}` } };
}

export function itemNamed(index: number): Place {
  const field = `requests.${index}`;
  return { field, said: { zh: field, en: field } };
}

/** What is wrong there. */
export function ofPlace(place: Place, failure: AppError): AppError {
  const { code, details } = failure;
  const { detail: own } = details;
  const said = (language: 'zh' | 'en') =>
    code === 'invalid_request' && typeof own === 'object' ? detailText(own, language) : errorText(code, language, details);
  const detail = { zh: `${place.said.zh}：${said('zh')}`, en: `${place.said.en}: ${said('en')}` };
  return new AppError('invalid_request', { detail }, { field: place.field, cause: failure });
}
