// A body as somebody takes it who hosts the format of another vendor. The last of all steps: nothing is read from the body after it.
import type { EncodeInput } from './encode-input.ts';

type Body = Readonly<Record<string, unknown>>;

/** The same object where the provider is the vendor itself. */
export function enveloped(body: Body, { way, isCount }: Pick<EncodeInput, 'way' | 'isCount'>): Body {
  const { envelope } = way.provider;
  if (envelope === undefined) return body;
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !envelope.omit.includes(name)));
  // Counts go to one address for all models.
  return { ...rest, ...(isCount === true ? { model: way.nameThere } : {}), ...envelope.set };
}
