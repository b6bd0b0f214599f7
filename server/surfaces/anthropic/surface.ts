// API surface of Anthropic.
import type { ApiSurface } from '../api-surface.ts';
import { errorBody } from './errors.ts';
import { limitHeaders } from './limit-headers.ts';
import { writeModel, writeModelList } from './models.ts';

export const anthropicSurface = {
  vendor: 'anthropic',
  isSpokenWith: (headers) => headers.has('anthropic-version') || headers.has('x-api-key'),
  forwardedHeaders: ['anthropic-version', 'anthropic-beta'],
  requestIdHeader: 'request-id',
  writeModel,
  writeModelList,
  limitHeaders,
  errorBody,
} satisfies ApiSurface;
