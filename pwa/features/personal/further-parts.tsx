import type { User } from '#shared/user.ts';
import { AccessTokenBlock } from './access-token-block.tsx';
import { InviteBlock } from './invite-block.tsx';
import { ModelsBlock } from './models-block.tsx';
import { RemoveBlock } from './remove-block.tsx';
import { UnpricedBlock } from './unpriced-block.tsx';
import type { OwnForm } from './use-own-form.ts';

/** What stands below the forms; loaded once those are drawn. */
export function FurtherParts({ user, form }: { user: User; form: OwnForm }) {
  return (
    <>
      <InviteBlock user={user} />
      <ModelsBlock />
      <UnpricedBlock form={form} />
      <AccessTokenBlock user={user} />
      <RemoveBlock user={user} />
    </>
  );
}
