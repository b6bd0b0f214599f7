// Upstream dialect of Replicate's predictions. No client dialect. https://replicate.com/docs/reference/http#predictions.create
import { parseObject } from '#server/framing/loose-json.ts';
import { asPrediction, waitingHeaders } from '../predictions.ts';
import { errorInResponse } from '../stream-pipe.ts';
import { limitsAt } from '../token-limits.ts';
import type { UpstreamDialect } from '../upstream-dialect.ts';
import { createAwaiting } from './awaiting.ts';
import { readError } from './errors.ts';
import { familyOf } from './families.ts';
import { createStreamReader, readWhole } from './read-response.ts';
import { carriedFields } from './format-fields.ts';
import { title } from './title.ts';
import { writeRequest } from './write-request.ts';

const eventNames: ReadonlySet<string> = new Set(['output', 'logs', 'error', 'done']);

export const replicateUpstream: UpstreamDialect = {
  name: 'replicate',
  title,
  limits: limitsAt('input.max_tokens', 'input.max_completion_tokens', 'input.max_output_tokens'),
  carriedFields,
  identity: null,
  // Inputs contain no ids of the account.
  findAccountObject: () => undefined,
  writeRequest,
  applyTraits: (body) => ({ body, dropped: [] }),
  // Renames the limit for the vendor's models, and adds the channel's overrides.
  normalize(body, { route }) {
    const { limit } = familyOf(route.upstreamModel);
    const prediction = asPrediction(body, route.nameThere);
    const { max_tokens: most, ...input } = Object(prediction['input']);
    return most === undefined ? prediction : { ...prediction, input: { ...input, [limit]: most } };
  },
  headers: ({ isStream }) => (isStream ? {} : waitingHeaders),
  leastLimit: (_body, model) => familyOf(model).leastLimit ?? 0,
  effortOf: () => undefined,
  createAwaiting,
  readWhole,
  createStreamReader,
  isEvent: ({ name }) => eventNames.has(name),
  readError(text) {
    const error = text.includes('"status"') ? readError(parseObject(text)) : null;
    return error === null ? null : errorInResponse(error);
  },
};
