import { createFileRoute, redirect } from '@tanstack/react-router';
import { useState } from 'react';
import { z } from 'zod/mini';
import { storedUser } from '#pwa/api/stored-user.ts';
import { ScreenProviders } from '#pwa/app/screen-providers.tsx';
import { storeInviteCode } from '#pwa/features/session/invite-code.ts';
import { RegisterScreen } from '#pwa/features/session/register-screen.tsx';
import { isInvitation, wayBack } from '#pwa/api/way-back.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

const Search = z.object({
  /** Invite code. */
  aff: z.catch(z.optional(z.coerce.string().check(z.maxLength(64))), undefined),
});

export const Route = createFileRoute('/_plain/register')({
  validateSearch: Search,
  beforeLoad: ({ search }) => {
    storeInviteCode(search.aff);
    if (storedUser() !== null) throw redirect({ href: wayBack() ?? '/' });
  },
  loader: () => loadTexts('register', 'signin'),
  component: Register,
});

function Register() {
  const navigate = Route.useNavigate();
  const [from] = useState(wayBack);
  return (
    <ScreenProviders>
      <RegisterScreen
        from={from}
        isInvited={isInvitation(from)}
        onRegistered={() => void navigate({ to: '/login' })}
        onEntered={() => void navigate({ href: from ?? '/first-call' })}
      />
    </ScreenProviders>
  );
}
