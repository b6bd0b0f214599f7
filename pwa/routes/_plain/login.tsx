import { createFileRoute, redirect, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { z } from 'zod/mini';
import { storedUser } from '#pwa/api/stored-user.ts';
import { storeInviteCode } from '#pwa/features/session/invite-code.ts';
import { LoginScreen } from '#pwa/features/session/login-screen.tsx';
import { ownAddress } from '#pwa/api/own-address.ts';
import { isInvitation, storeWayBack, wayBack } from '#pwa/api/way-back.ts';

const Search = z.object({
  /** The session ended; old links carry `true` as a word. */
  expired: z.catch(z.optional(z.union([z.boolean(), z.literal('true')])), undefined),
  /** Another account than the one that is signed in. */
  switch: z.optional(z.unknown()),
  /** Where to go afterwards: an address of this console. */
  from: z.catch(z.optional(z.pipe(z.string(), z.transform(ownAddress))), undefined),
  /** Invite code. */
  aff: z.catch(z.optional(z.coerce.string().check(z.maxLength(64))), undefined),
});

export const Route = createFileRoute('/_plain/login')({
  validateSearch: Search,
  beforeLoad: ({ search }) => {
    storeInviteCode(search.aff);
    if (search.from !== undefined) storeWayBack(search.from);
    if (storedUser() !== null && search.expired === undefined && search.switch === undefined) throw redirect({ href: wayBack() ?? '/' });
  },
  component: Login,
});

function Login() {
  const { expired } = Route.useSearch();
  const [from] = useState(wayBack);
  const router = useRouter();
  return (
    <LoginScreen
      isExpired={expired !== undefined && expired !== false}
      from={from}
      isInvited={isInvitation(from)}
      onSignedIn={(way) => void router.navigate({ href: from ?? (way === 'other' ? '/' : afterSignIn) })}
    />
  );
}

const afterSignIn = '/token';
