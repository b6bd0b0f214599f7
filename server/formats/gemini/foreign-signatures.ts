// Signatures of other vendors' models in a conversation: Gemini accepts only its own, and requires one on the first call of each turn.
import { isObject } from '#server/framing/loose-json.ts';
import { signsCalls } from './model-generation.ts';
import { noSignature, readCallerSignature } from './thought-signature.ts';

type Body = Readonly<Record<string, unknown>>;

/** Returns the body without foreign signatures, the same object if nothing changes. `isLost`: one was removed. */
export function foreignSignatures(body: Body, model: string): { body: Body; isLost: boolean } {
  const { contents } = body;
  if (!Array.isArray(contents)) return { body, isLost: false };
  const wantsSigned = signsCalls(model);
  let isLost = false;
  let isChanged = false;
  // Consecutive model turns are one turn.
  let isSigned = false;
  const fitting = contents.flatMap((content: unknown) => {
    if (!isObject(content) || content.role !== 'model') isSigned = false;
    const list = isObject(content) ? content.parts : undefined;
    if (!isObject(content) || content.role !== 'model' || !Array.isArray(list)) return [content];
    const own = list.flatMap((part: unknown) => (isObject(part) ? withoutForeignSignature(part) : [part]));
    const hasLost = own.length < list.length || own.some((part, index) => part !== list[index]);
    const parts = own.map((part: unknown) => {
      if (!wantsSigned || isSigned || !isObject(part) || !isCall(part)) return part;
      isSigned = true;
      return signatureOf(part) === undefined ? { ...part, thoughtSignature: noSignature } : part;
    });
    isLost ||= hasLost;
    if (!hasLost && parts.every((part, index) => part === list[index])) return [content];
    isChanged = true;
    // Empty turns are rejected.
    return parts.length === 0 ? [] : [{ ...content, parts }];
  });
  return { body: isChanged ? { ...body, contents: fitting } : body, isLost };
}

/** Removes a foreign signature, and the part if nothing else is in it. */
function withoutForeignSignature(part: Body): Body[] {
  const text = signatureOf(part);
  const seal = typeof text === 'string' ? readCallerSignature(text) : undefined;
  if (seal === undefined || seal.origin === 'gemini') return [part];
  const { thoughtSignature: _signature, thought_signature: _snake, ...rest } = part;
  return rest.thought === true || rest.text === '' || Object.keys(rest).length === 0 ? [] : [rest];
}

function isCall(part: Body): boolean {
  return 'functionCall' in part || 'function_call' in part;
}

function signatureOf({ thoughtSignature, thought_signature: snake }: Body): unknown {
  return thoughtSignature ?? snake;
}
