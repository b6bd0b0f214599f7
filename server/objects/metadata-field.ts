// Metadata of callers' objects: https://platform.openai.com/docs/api-reference/batch/create#batch-create-metadata
import { fieldRules } from '#shared/field-rules.ts';
import { badField, type StrictFields } from '#server/framing/strict-fields.ts';

const mostPairs = 16;
const longestKey = 64;
const longestValue = 512;

/**
 * JSON text; empty if not set.
 * @throws {AppError} `invalid_request` for metadata that the vendor rejects
 */
export function metadataIn(fields: StrictFields): string {
  const reported = fields.object('metadata');
  if (reported === undefined) return '';
  const pairs = Object.entries(reported);
  if (pairs.length > mostPairs) throw badField('metadata', fieldRules.most(mostPairs));
  for (const [name, value] of pairs) {
    if (name.length > longestKey) throw badField('metadata', fieldRules.longest(longestKey));
    if (typeof value !== 'string') throw badField('metadata', fieldRules.text);
    if (value.length > longestValue) throw badField('metadata', fieldRules.longest(longestValue));
    if (!name.isWellFormed() || !value.isWellFormed() || `${name}${value}`.includes('\0'))
      throw badField('metadata', fieldRules.characters);
  }
  return JSON.stringify(reported);
}
