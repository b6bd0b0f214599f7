// The most tokens that a model can answer with, as its vendor says. What is not known here is a setting.
import known from './data/max-output-tokens.json' with { type: 'json' };
import { factOfModels } from './known-models.ts';

/** Null: not known. */
export const maxOutputTokens = factOfModels(known);
