import { BindingsCard } from './bindings-card.tsx';
import { SessionsCard } from './sessions-card.tsx';

/** What the account is bound to, and where it is signed in. */
export function AccountCards() {
  return (
    <>
      <BindingsCard />
      <SessionsCard />
    </>
  );
}
