import { statusApi, statusFeeds, statusSeconds } from '#shared/status-page.ts';
import type { Language } from '#shared/errors.ts';
import { cachingHeaders, isCurrent } from '#server/http/caching.ts';
import { type Caching, type Caller, respond } from '#server/http/call.ts';
import { failureResponse, toAppError } from '#server/http/failure.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { siteAddressOrLocal } from '#server/settings/site-address.ts';
import { addUpdate, createIncident, editIncident, removeIncident } from '#server/slices/status-page/edit-incidents.ts';
import { type Feed, jsonFeed, rssFeed } from '#server/slices/status-page/feeds.ts';
import { createStatusPages, type StatusPages, visitorOf } from '#server/slices/status-page/read-page.ts';

export function mountStatusPage(host: RouteHost): void {
  const pages = createStatusPages(host.context);
  mount(host, statusApi.page, async ({ context, caller }) => {
    const { page, tag } = await pages.read(visitorOf(context, caller?.user ?? null));
    return respond(page, { caching: cachingOf(caller, tag) });
  });
  mount(host, statusApi.incidents, ({ context, caller, query }) =>
    pages.past(visitorOf(context, caller?.user ?? null), query.before === undefined ? undefined : Number(query.before)),
  );
  mount(host, statusApi.create, async ({ context, body }) => edited(pages, await createIncident(context, body)));
  mount(host, statusApi.edit, async ({ context, params, body }) => edited(pages, await editIncident(context, Number(params.id), body)));
  mount(host, statusApi.update, async ({ context, params, body }) => edited(pages, await addUpdate(context, Number(params.id), body)));
  mount(host, statusApi.remove, async ({ context, params }) => {
    await removeIncident(context, Number(params.id));
    return edited(pages, undefined);
  });
  addFeed(host, pages, { path: statusFeeds.rss, type: 'application/rss+xml; charset=utf-8', write: rssFeed });
  addFeed(host, pages, { path: statusFeeds.json, type: 'application/feed+json; charset=utf-8', write: jsonFeed });
}

/** The editor sees the change at once; other processes within half a minute. */
function edited<Reply>(pages: StatusPages, reply: Reply): Reply {
  pages.changed();
  return reply;
}

/** Visitors share one page, which proxies may store while it is current; pages of users are private. */
function cachingOf(caller: Caller | null, tag: string): Caching {
  const control = caller === null ? `public, max-age=${statusSeconds}` : 'private, no-cache';
  return { tag, control, vary: 'Cookie, Authorization' };
}

interface FeedFormat {
  path: string;
  type: string;
  write(feed: Feed): string;
}

/** Same visitors and limits as the page. */
function addFeed(host: RouteHost, pages: StatusPages, { path, type, write }: FeedFormat): void {
  const { context } = host;
  let written = new Map<string, string>();
  host.add('GET', path, async (request, _params, connection) => {
    const facts = host.facts(request, connection);
    const common = { 'x-oneapi-request-id': facts.requestId };
    let caller: Caller | null = null;
    try {
      try {
        caller = await host.identify(facts, statusApi.page);
      } finally {
        await host.limit(facts, caller);
      }
      const wanted = facts.url.searchParams.get('lang');
      const language: Language = wanted === 'zh' || wanted === 'en' ? wanted : facts.language;
      const { page, tag } = await pages.read(visitorOf(context, caller?.user ?? null));
      const name = context.settings.get('SystemName');
      const site = siteAddressOrLocal(context.settings, context.env);
      const key = JSON.stringify([tag, language, name, site]);
      let text = written.get(key);
      if (text === undefined) {
        if (written.size >= 20) written = new Map();
        text = write({ name, site: site.replace(/\/+$/, ''), language, incidents: [...page.current, ...page.past] });
        written.set(key, text);
      }
      const { control, vary } = cachingOf(caller, '');
      const headers = { ...common, ...cachingHeaders({ tag: `${tag}-${language}`, control, vary: `${vary}, Accept-Language` }) };
      if (isCurrent(facts.headers, headers.etag)) return new Response(null, { status: 304, headers });
      return new Response(text, { headers: { ...headers, 'content-type': type, 'x-content-type-options': 'nosniff' } });
    } catch (failure) {
      const error = toAppError(failure, context, facts.requestId);
      // A page that is off is no document, whatever the console's calls answer.
      const response = failureResponse(error, facts.language, facts.requestId);
      return error.code === 'not_found' ? new Response(response.body, { status: 404, headers: response.headers }) : response;
    }
  });
}
