// API surface of Gemini's Interactions, which has its own errors.
import type { ApiSurface } from '../api-surface.ts';
import { writeModel, writeModelList } from '../gemini/models.ts';
import { errorBody } from './errors.ts';

export const interactionsSurface = {
  vendor: 'google',
  forwardedHeaders: [],
  requestIdHeader: 'x-request-id',
  writeModel,
  writeModelList,
  errorBody,
} satisfies ApiSurface;
