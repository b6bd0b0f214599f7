import { siteTextApi } from '#shared/site-texts.ts';
import { siteApi } from '#shared/site.ts';
import { isSetUp } from '#server/accounts/setup-check.ts';
import { respond } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { createUpdateCheck } from './check-update.ts';
import { mountLogo } from './serve-logo.ts';
import { siteStatus } from './site-status.ts';

export function mountSite(host: RouteHost): void {
  const startTime = Math.floor(host.context.now() / 1000);
  mount(host, siteApi.status, async ({ context }) =>
    siteStatus(context.settings, { startTime, isSetUp: await isSetUp(context), env: context.env }),
  );
  mount(host, siteApi.test, async ({ context }) => {
    await context.db.ping();
    return respond(undefined, { notice: 'server_running' });
  });
  mountLogo(host);
  mount(host, siteTextApi.update, createUpdateCheck());
  mount(host, siteTextApi.notice, ({ context }) => context.settings.get('Notice'));
  mount(host, siteTextApi.about, ({ context }) => context.settings.get('About'));
  mount(host, siteTextApi.home, ({ context }) => context.settings.get('HomePageContent'));
}
