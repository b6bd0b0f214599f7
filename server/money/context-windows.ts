// The most tokens that a prompt may have, as the model's vendor says: clients shorten their conversations by it.
import known from './data/context-windows.json' with { type: 'json' };
import { factOfModels } from './known-models.ts';

/** Null: not known. */
export const contextWindow = factOfModels(known);
