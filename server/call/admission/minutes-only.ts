// Refuses calls to models that are priced by the minute of a session, because other calls have no minutes to measure.
import { AppError } from '#shared/errors.ts';
import { factsOf } from '#server/model-facts/find-facts.ts';
import type { QuotedPrice } from '#server/money/quote.ts';

const inSessions = {
  zh: '该模型按会话分钟计价，只能在 /v1/realtime 会话中使用',
  en: 'this model is priced by the minute of a session and is served in sessions at /v1/realtime only',
};

/** Returns the price of a call that is no session. @throws {AppError} `invalid_request` */
export function checkMeasured(model: string, quoted: QuotedPrice): QuotedPrice {
  if (quoted.price.kind !== 'call' || factsOf(model)?.record.mode !== 'realtime') return quoted;
  throw new AppError('invalid_request', { detail: { zh: `model：${inSessions.zh}`, en: `model: ${inSessions.en}` } }, { field: 'model' });
}
