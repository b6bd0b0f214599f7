// Feeds of the status page: RSS 2.0 (https://www.rssboard.org/rss-specification) and JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/).
import type { Language } from '#shared/errors.ts';
import { type StatusIncident, statusFeeds } from '#shared/status-page.ts';
import { feedTexts, filled, incidentSummary, incidentTitle } from '#shared/status-texts.ts';

export interface Feed {
  /** Name of the site. */
  name: string;
  /** URL of the site, without a slash at the end. */
  site: string;
  language: Language;
  /** The newest first. */
  incidents: readonly StatusIncident[];
}

interface Item {
  id: string;
  url: string;
  title: string;
  /** Lines of plain text. */
  text: string;
  /** Unix seconds. */
  published: number;
  modified: number;
}

export function rssFeed(feed: Feed): string {
  const { title, description } = feedTexts[feed.language];
  const items = feed.incidents.map((incident) => itemOf(feed, incident));
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>',
    `<title>${xml(filled(title, { name: feed.name }))}</title>`,
    `<link>${xml(`${feed.site}/status`)}</link>`,
    `<description>${xml(description)}</description>`,
    `<language>${feed.language}</language>`,
    `<atom:link href="${xml(`${feed.site}${statusFeeds.rss}?lang=${feed.language}`)}" rel="self" type="application/rss+xml"/>`,
    ...items.map(rssItem),
    '</channel></rss>',
  ];
  return `${lines.join('\n')}\n`;
}

export function jsonFeed(feed: Feed): string {
  const { title, description } = feedTexts[feed.language];
  const items = feed.incidents.map((incident) => {
    const { id, url, title: name, text, published, modified } = itemOf(feed, incident);
    return { id, url, title: name, content_text: text, date_published: isoTime(published), date_modified: isoTime(modified) };
  });
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: filled(title, { name: feed.name }),
    home_page_url: `${feed.site}/status`,
    feed_url: `${feed.site}${statusFeeds.json}?lang=${feed.language}`,
    description,
    language: feed.language,
    items,
  });
}

function itemOf({ site, language }: Feed, incident: StatusIncident): Item {
  const { id, started_at: from, ended_at: to, updates } = incident;
  const { states } = feedTexts[language];
  const summary = incidentSummary(incident, language);
  const texts = updates.map(({ at, state, text }) => `${isoTime(at)} ${states[state]}: ${text[language]}`);
  // Models of incidents that the measures name are in the title.
  return {
    id: `${site}/status#${id}`,
    url: `${site}/status?incident=${id}`,
    title: incidentTitle(incident, language),
    text: [summary, ...texts].filter((line) => line !== '').join('\n'),
    published: updates.at(-1)?.at ?? from,
    modified: Math.max(from, to ?? 0, updates[0]?.at ?? 0),
  };
}

function rssItem({ id, url, title, text, published }: Item): string {
  return [
    '<item>',
    `<title>${xml(title)}</title>`,
    `<link>${xml(url)}</link>`,
    `<guid isPermaLink="false">${xml(id)}</guid>`,
    `<pubDate>${new Date(published * 1000).toUTCString()}</pubDate>`,
    // Readers take descriptions for HTML: the text is escaped for that, and then for XML.
    `<description>${xml(xml(text).replaceAll('\n', '<br>'))}</description>`,
    '</item>',
  ].join('');
}

function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for XML, without the characters that XML 1.0 excludes. */
function xml(text: string): string {
  return text
    .replace(/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"']/g, (character) => escapes[character] ?? '');
}
