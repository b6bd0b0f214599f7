// API surface of OpenAI as Codex uses it: the model list has its own shape, and turns share a state.
import type { ApiSurface } from '../api-surface.ts';
import { limitHeaders } from '../openai/limit-headers.ts';
import { codexModels } from './codex-models.ts';
import { errorBody } from '../openai/errors.ts';
import { writeModel } from './models.ts';

export const codexSurface = {
  vendor: 'openai',
  // Codex sends its version. OpenAI's other clients receive the list of chat completions.
  isSpokenWith: (_headers, query) => query.has('client_version'),
  modelTag: { header: 'x-models-etag', isWantedBy: (headers) => headers['session-id'] !== undefined },
  // Codex's headers for state shared by its turns and for its protocol variants.
  forwardedHeaders: [
    'openai-beta',
    'session-id',
    'thread-id',
    'x-codex-beta-features',
    'x-codex-turn-state',
    'x-openai-internal-codex-responses-lite',
  ],
  turnStateHeader: 'x-codex-turn-state',
  requestIdHeader: 'x-request-id',
  writeModel,
  writeModelList: codexModels,
  limitHeaders,
  errorBody,
} satisfies ApiSurface;
