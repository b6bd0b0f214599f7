import type { AppContext } from '#server/context.ts';

/** Makes every process read again what binds the organisation's tokens. */
export function announceOrganisation({ changes }: Pick<AppContext, 'changes'>, organisationId: number): Promise<unknown> {
  return changes.announce('user', organisationId);
}
