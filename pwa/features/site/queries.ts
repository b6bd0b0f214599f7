// Texts of this installation that visitors read. Each is stored in local storage as existing clients store it, so that the next visit has
// it at once.
import { queryOptions } from '@tanstack/react-query';
import { siteTextApi } from '#shared/site-texts.ts';
import { call } from '#pwa/api/call.ts';

function textQuery(name: 'notice' | 'about' | 'home_page_content', read: (signal: AbortSignal) => Promise<string>) {
  const storageKey = `site-${name}`;
  return queryOptions({
    queryKey: ['site', name],
    queryFn: async ({ signal }) => {
      const text = await read(signal);
      localStorage.setItem(storageKey, text);
      return text;
    },
    initialData: () => localStorage.getItem(storageKey) ?? undefined,
    // The stored copy is for the first paint only; it is requested again at once.
    initialDataUpdatedAt: 0,
    staleTime: 60_000,
  });
}

export const noticeQuery = textQuery('notice', (signal) => call(siteTextApi.notice, { signal }));
export const aboutQuery = textQuery('about', (signal) => call(siteTextApi.about, { signal }));
export const homeContentQuery = textQuery('home_page_content', (signal) => call(siteTextApi.home, { signal }));

/** Whether a newer version of Tidegate is published; requested on demand. */
export const updateQuery = queryOptions({
  queryKey: ['site', 'update'],
  queryFn: ({ signal }) => call(siteTextApi.update, { signal }),
  enabled: false,
  staleTime: 0,
});
