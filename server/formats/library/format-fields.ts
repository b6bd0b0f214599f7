// Fields that this format carries. A library has its own settings.
import type { CarriedFields } from '../request-fields.ts';

export const carriedFields: CarriedFields = { tool_errors: 'in_words' };
