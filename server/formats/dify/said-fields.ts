// What this format carries of what callers say; none of them speaks it. An application has its own model, tools and settings.
import type { CarriedFields } from '../request-fields.ts';

export const carriedFields: CarriedFields = { tool_errors: 'in_words', user_id: 'by_parts' };
