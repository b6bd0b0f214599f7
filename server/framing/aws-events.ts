// Converts AWS frames to server-sent events. An exception ends the stream, and becomes an event with the status that it
// has as a response.
// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html
import type { AwsFrame } from './aws-frames.ts';
import { parseObject } from './loose-json.ts';

const statuses: ReadonlyMap<string, number> = new Map(
  Object.entries({
    validationException: 400,
    accessDeniedException: 403,
    resourceNotFoundException: 404,
    modelTimeoutException: 408,
    modelStreamErrorException: 424,
    throttlingException: 429,
    internalServerException: 500,
    serviceUnavailableException: 503,
  }),
);

/** Event named by its frame. */
export function namedEventOf(frame: AwsFrame): string | null {
  const name = frame.headers.get(':event-type');
  if (frame.headers.get(':message-type') !== 'event') return errorOf(frame);
  return name === undefined || !/^\w+$/.test(name) ? null : eventOf(name, frame.payload.toString('utf8'));
}

/** Event in the format of the model's vendor, wrapped in base64: `{"bytes":"…"}`. */
export function wrappedEventOf(frame: AwsFrame): string | null {
  if (frame.headers.get(':message-type') !== 'event') return errorOf(frame);
  if (frame.headers.get(':event-type') !== 'chunk') return '';
  const payload = frame.payload.toString('utf8');
  const { bytes, type: own } = parseObject(payload) ?? {};
  // Some AWS-compatible servers omit the wrapping.
  if (typeof bytes !== 'string' && typeof own !== 'string') return null;
  const json = typeof bytes === 'string' ? Buffer.from(bytes, 'base64').toString('utf8') : payload;
  const type = parseObject(json)?.type;
  return eventOf(typeof type === 'string' && /^\w+$/.test(type) ? type : '', json);
}

function errorOf({ headers, payload }: AwsFrame): string | null {
  const isException = headers.get(':message-type') === 'exception';
  const type = headers.get(isException ? ':exception-type' : ':error-code') ?? 'unknown';
  const reported = isException ? parseObject(payload.toString('utf8'))?.message : headers.get(':error-message');
  const message = typeof reported === 'string' && reported !== '' ? reported : type;
  return eventOf('error', JSON.stringify({ type: 'error', error: { type, message, status: statuses.get(type) ?? 500 } }));
}

/** Line breaks of JSON occur only between values. */
function eventOf(name: string, json: string): string {
  return `${name === '' ? '' : `event: ${name}\n`}data: ${json.replaceAll(/[\r\n]/g, ' ')}\n\n`;
}
