// What this format carries of what callers say; none of them speaks it. A library has its own settings.
import type { CarriedFields } from '../request-fields.ts';

export const carriedFields: CarriedFields = { tool_errors: 'in_words' };
