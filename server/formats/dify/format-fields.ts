// Fields that this format carries. An application has its own model, tools and settings.
import type { CarriedFields } from '../request-fields.ts';

export const carriedFields: CarriedFields = { tool_errors: 'in_words', user_id: 'by_parts' };
