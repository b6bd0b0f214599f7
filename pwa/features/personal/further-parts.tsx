import type { User } from '#shared/user.ts';
import { AccessTokenBlock } from './access-token-block.tsx';
import { InviteBlock } from './invite-block.tsx';
import { ModelsBlock } from './models-block.tsx';
import { RemoveBlock } from './remove-block.tsx';
import { UnpricedBlock } from './unpriced-block.tsx';

/** What stands below the forms; loaded once those are drawn. */
export function FurtherParts({ user }: { user: User }) {
  return (
    <>
      <InviteBlock user={user} />
      <ModelsBlock />
      <UnpricedBlock user={user} />
      <AccessTokenBlock user={user} />
      <RemoveBlock user={user} />
    </>
  );
}
