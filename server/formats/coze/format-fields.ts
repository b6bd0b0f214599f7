// Fields that this format carries. A bot has its own model, instructions, tools and settings.
import type { CarriedFields } from '../request-fields.ts';

export const carriedFields: CarriedFields = { tool_errors: 'in_words', user_id: 'by_parts' };
