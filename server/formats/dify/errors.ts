// Errors in streams; other errors have an HTTP status and the same fields.
import { isObject } from '#server/framing/loose-json.ts';
import type { UpstreamErrorObject } from '../parts.ts';
import { failureOfRun, type NodeTokens } from './workflow.ts';

/** Returns null if there is none. @param nodes tokens reported so far by the run's models */
export function readError(body: unknown, nodes?: NodeTokens): UpstreamErrorObject | null {
  if (!isObject(body)) return null;
  const { event, data, message_id: messageId } = body;
  // A workflow reports its own end; that of a chatflow belongs to a message.
  const isRun = event === undefined || (event === 'workflow_finished' && messageId === undefined);
  if (isRun && isObject(data)) return failureOfRun(data, nodes);
  if (event !== 'error') return null;
  const { message, code, status } = body;
  return {
    message: typeof message === 'string' && message !== '' ? message : 'the application has failed',
    type: 'dify_error',
    code: typeof code === 'string' ? code : null,
    status: typeof status === 'number' && status >= 400 && status < 600 ? status : 500,
  };
}
