// API surface of Gemini.
import type { ApiSurface } from '../api-surface.ts';
import { limitHeaders } from '../openai/limit-headers.ts';
import { errorBody } from './errors.ts';
import { writeModel, writeModelList } from './models.ts';

export const geminiSurface = {
  vendor: 'google',
  isSpokenWith: (headers, query) => headers.has('x-goog-api-key') || headers.has('x-goog-api-client') || query.has('key'),
  forwardedHeaders: [],
  requestIdHeader: 'x-request-id',
  writeModel,
  writeModelList,
  // The vendor has none of its own; several clients read these.
  limitHeaders,
  errorBody,
} satisfies ApiSurface;
