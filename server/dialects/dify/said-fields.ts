// What this format carries of what callers say; none of them speaks it. An application has its own model, tools and settings.
import type { CarriedFields } from '../request-fields.ts';

/** Of media only what has an address goes along, which the table of what is lost does not tell apart. */
export const carriedFields: CarriedFields = { user_id: 'by_parts' };
