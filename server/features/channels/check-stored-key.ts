import { keyFormsText, typedKeyProblem } from '#shared/channel-type-rules.ts';
import { AppError } from '#shared/errors.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';

/** A key may have been stored for another type, or by an import. @throws {AppError} where it is none of its channel's type */
export function checkStoredKey({ key, record: { type } }: PreparedChannel): void {
  const problem = typedKeyProblem(type, key);
  if (problem !== undefined) throw new AppError(`channel_${problem}`, { forms: keyFormsText(type) }, { field: 'key' });
}
