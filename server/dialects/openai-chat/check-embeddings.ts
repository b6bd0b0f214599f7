// What must be right in an embeddings request before anything is spent on it.
import { AppError } from '#shared/errors.ts';
import { badField, StrictFields } from '../strict-fields.ts';
import type { Body } from '../strict-fields.ts';

const textOrList = { zh: '必须是文本或数组', en: 'must be a text or a list' };
const mostDimensions = 1_000_000;

/** @throws {AppError} 400 with the field at fault */
export function checkEmbeddings(body: Body): void {
  const { input } = body;
  if (input === undefined || input === null || input === '' || (Array.isArray(input) && input.length === 0)) {
    throw new AppError('invalid_embedding_request', {}, { field: 'input' });
  }
  if (typeof input !== 'string' && !Array.isArray(input)) throw badField('input', textOrList);
  const fields = new StrictFields(body);
  fields.integer('dimensions', 1, mostDimensions);
  fields.oneOf('encoding_format', ['float', 'base64']);
}
