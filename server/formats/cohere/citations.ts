// Citations of a response. Only sources with a URL are returned: other formats cite pages.
import { isObject, type JsonObject } from '#server/framing/loose-json.ts';
import type { ResponsePart } from '../parts.ts';

/** Parts of one citation, one per source. Read loosely. */
export function citationParts({ start, end, sources }: JsonObject): ResponsePart[] {
  const place = isPlace(start) && isPlace(end) ? { start, end } : {};
  return (Array.isArray(sources) ? sources.filter(isObject) : []).flatMap((source): ResponsePart[] => {
    const reported = isObject(source.document) ? source.document : isObject(source.tool_output) ? source.tool_output : {};
    const { url, title, snippet } = reported;
    if (typeof url !== 'string' || !/^https?:\/\//.test(url)) return [];
    const titled = typeof title === 'string' ? { title } : {};
    const quoted = typeof snippet === 'string' ? { text: snippet } : {};
    return [{ type: 'citation', url, ...titled, ...quoted, ...place }];
  });
}

function isPlace(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
