// Identity path of `generateContent` requests.
import { bytesOfJson } from '#server/framing/long-json.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { EncodedRequest, EncodeInput } from '../encode-input.ts';
import { describeRequest, finalizeRequest } from '../finalize-request.ts';
import { foreignSignatures } from './foreign-signatures.ts';

type Body = Readonly<Record<string, unknown>>;

export function forwardRequest(input: EncodeInput): EncodedRequest {
  const { body, rawText } = input;
  if (input.isPassThrough !== true) {
    const own = foreignSignatures(body, input.route.knownAs);
    return finalizeRequest({ body: withRoles(withJoinedResults(own.body)), dropped: own.isLost ? ['thought parts'] : [] }, input);
  }
  return { ...describeRequest(body, input), body: bytesOfJson(rawText, input.longTexts), dropped: [] };
}

/** Joins the results of parallel calls: Google rejects them in separate turns, as LangChain sends them. */
function withJoinedResults(body: Body): Body {
  const { contents } = body;
  if (!Array.isArray(contents)) return body;
  const joined: unknown[] = [];
  /** Results of the last turn; null unless it has only results. */
  let open: unknown[] | null = null;
  for (const content of contents) {
    const results = resultsIn(content);
    if (open !== null && results !== null) open.push(...results);
    else {
      open = results === null ? null : [...results];
      joined.push(open === null ? content : { ...asObject(content), parts: open });
    }
  }
  return joined.length === contents.length ? body : { ...body, contents: joined };
}

/** Adds the role `user` to turns without a role, which Vertex AI rejects. */
function withRoles(body: Body): Body {
  const { contents } = body;
  if (isObject(contents)) return withRole(contents) === contents ? body : { ...body, contents: withRole(contents) };
  if (!Array.isArray(contents) || contents.every((content) => withRole(content) === content)) return body;
  return { ...body, contents: contents.map(withRole) };
}

function withRole(content: unknown): unknown {
  return isObject(content) && (content.role === undefined || content.role === null || content.role === '')
    ? { ...content, role: 'user' }
    : content;
}

/** Returns null unless the turn has only results. */
function resultsIn(content: unknown): readonly unknown[] | null {
  if (!isObject(content) || content.role === 'model' || !Array.isArray(content.parts) || content.parts.length === 0) return null;
  const parts: readonly unknown[] = content.parts;
  return parts.every((part) => isObject(part) && ('functionResponse' in part || 'function_response' in part)) ? parts : null;
}

function asObject(value: unknown): Body {
  return isObject(value) ? value : {};
}
