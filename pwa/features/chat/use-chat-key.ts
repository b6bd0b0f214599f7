import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useStoredUser } from '#pwa/api/self.ts';
import { chatKeyQuery } from './queries.ts';

/** How long it is said that there is no token, before the tokens open. Milliseconds. */
const readingTime = 1500;

/** The key of the first enabled token. Without one the tokens open, where one is made. */
export function useChatKey() {
  const userId = useStoredUser()?.id ?? 0;
  const navigate = useNavigate();
  const query = useQuery({ ...chatKeyQuery(userId), enabled: userId !== 0 });
  const isMissing = query.data === null;
  useEffect(() => {
    if (!isMissing) return;
    const timer = setTimeout(() => void navigate({ to: '/token' }), readingTime);
    return () => clearTimeout(timer);
  }, [isMissing, navigate]);
  return query;
}
