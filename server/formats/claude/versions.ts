// Fields that API versions reject. https://platform.claude.com/docs/en/api/versioning
import { isObject } from '#server/framing/loose-json.ts';

type Body = Readonly<Record<string, unknown>>;

/** First version without sampling fields, even at their defaults, and without documents in assistant turns. */
const withoutSampling = '2026-10-21';
const samplingFields = ['temperature', 'top_p', 'top_k'];

/** Reports whether the version, a date, rejects sampling fields. */
export function isWithoutSampling(version: string | undefined): boolean {
  return version !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= withoutSampling;
}

/**
 * Removes the fields that the version rejects.
 * @param dropped receives their names
 */
export function fitVersion(body: Body, version: string | undefined, dropped: string[]): Body {
  if (!isWithoutSampling(version)) return body;
  const fitting = withoutDocuments(body, dropped);
  const sampling = samplingFields.filter((name) => fitting[name] !== undefined);
  if (sampling.length === 0) return fitting;
  dropped.push(...sampling.filter((name) => fitting[name] !== null));
  return Object.fromEntries(Object.entries(fitting).filter(([name]) => !sampling.includes(name)));
}

function withoutDocuments(body: Body, dropped: string[]): Body {
  if (!Array.isArray(body['messages'])) return body;
  let isSame = true;
  const messages = body['messages'].flatMap((message: unknown, place): unknown[] => {
    if (!isObject(message) || message.role !== 'assistant' || !Array.isArray(message.content)) return [message];
    const content = message.content.filter((block: unknown) => !isObject(block) || block.type !== 'document');
    if (content.length === message.content.length) return [message];
    isSame = false;
    dropped.push(`messages.${place}.content`);
    return content.length === 0 ? [] : [{ ...message, content }];
  });
  return isSame ? body : { ...body, messages };
}
