// API surface of OpenAI.
import type { ApiSurface } from '../api-surface.ts';
import { errorBody } from './errors.ts';
import { limitHeaders } from './limit-headers.ts';
import { writeModel, writeModelList } from './models.ts';

export const openaiSurface = {
  vendor: 'openai',
  forwardedHeaders: [],
  requestIdHeader: 'x-request-id',
  writeModel,
  writeModelList,
  limitHeaders,
  errorBody,
} satisfies ApiSurface;
