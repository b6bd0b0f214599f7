// Fields that this format carries.
import type { CarriedFields } from '../request-fields.ts';

/** https://cloud.tencent.com/document/product/1729/105701 */
export const carriedFields: CarriedFields = {
  tool_errors: 'in_words',
  media: { treatment: 'refused', about: 'everything except images and texts; files by id' },
  stop: 'by_parts',
  forced_tool: { treatment: 'dropped', about: 'required tool choice without a name' },
  temperature: 'by_parts',
  top_p: 'by_parts',
  // Range: 1 to 10000.
  seed: (value) => ({ Seed: typeof value === 'number' ? 1 + (Math.abs(Math.trunc(value)) % 10_000) : value }),
};
