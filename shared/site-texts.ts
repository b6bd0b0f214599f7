// What administrators write for visitors, and what is known of newer versions. Apart from the facts that every page needs.
import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';

/** The newest published release, as its page describes it. */
export const Release = z.object({
  version: z.string(),
  /** Address of its page; `""` if unknown. */
  url: z.string(),
  /** Markdown. */
  notes: z.string(),
  /** ISO 8601; `""` if unknown. */
  published_at: z.string(),
  is_newer: z.boolean(),
});
export type Release = z.infer<typeof Release>;

const Text = z.string();
export const siteTextApi = {
  update: endpoint('GET', '/api/status/update', { access: 'admin', reply: Release, summary: 'Whether a newer version is published' }),
  notice: endpoint('GET', '/api/notice', { access: 'public', reply: Text, summary: 'Site notice' }),
  about: endpoint('GET', '/api/about', { access: 'public', reply: Text, summary: 'About text' }),
  home: endpoint('GET', '/api/home_page_content', { access: 'public', reply: Text, summary: 'Home page text' }),
};
