// API surface of OpenAI.
import type { ApiSurface } from '../api-surface.ts';
import { errorBody } from './errors.ts';
import { writeModel, writeModelList } from './models.ts';

export const openaiSurface = {
  vendor: 'openai',
  forwardedHeaders: [],
  requestIdHeader: 'x-request-id',
  writeModel,
  writeModelList,
  errorBody,
} satisfies ApiSurface;
