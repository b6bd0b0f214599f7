// A site below a path of its host (`BASE_PATH=/ai`). Requests are stripped of it before anything looks at them, whether or not a proxy did so already;
// the console's page and manifest get it when they are served, so that it is built once.

/** Returns the request target below `base`; undefined for `base` itself without a slash, which is no folder for relative addresses. */
export function belowBase(base: string, target: string): string | undefined {
  if (!target.startsWith(base)) return target;
  const rest = target.slice(base.length);
  if (rest.startsWith('/')) return rest;
  return rest === '' || rest.startsWith('?') ? undefined : target;
}

/** Path and query of a request target, which proxies may send in absolute form: https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2 */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const url = URL.parse(target);
  return url === null || !/^https?:$/.test(url.protocol) ? target : url.pathname + url.search;
}

/** The built page: its links, and the attribute that its scripts read. */
export function pageAtBase(page: string, base: string): string {
  return page.replace(/<html(?=[\s>])/, `<html data-base="${base}"`).replaceAll(/(\s(?:href|src)=")\//g, `$1${base}/`);
}

const addressMembers = new Set(['id', 'start_url', 'scope', 'src', 'url', 'action']);

/** The built web app manifest. */
export function manifestAtBase(manifest: string, base: string): string {
  const place = (name: string, value: unknown) =>
    addressMembers.has(name) && typeof value === 'string' && value.startsWith('/') ? `${base}${value}` : value;
  return JSON.stringify(JSON.parse(manifest, place));
}
