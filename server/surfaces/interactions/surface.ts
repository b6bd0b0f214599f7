// API surface of Gemini's Interactions, which has its own errors.
import type { ApiSurface } from '../api-surface.ts';
import { limitHeaders } from '../openai/limit-headers.ts';
import { writeModel, writeModelList } from '../gemini/models.ts';
import { errorBody } from './errors.ts';

export const interactionsSurface = {
  vendor: 'google',
  forwardedHeaders: [],
  requestIdHeader: 'x-request-id',
  writeModel,
  writeModelList,
  // The vendor has none of its own; several clients read these.
  limitHeaders,
  errorBody,
} satisfies ApiSurface;
