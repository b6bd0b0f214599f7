// What a success says beyond "done", in both languages: every notice has the call that says it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Language } from '#shared/errors.ts';
import { type NoticeCode, notices } from '#shared/notices.ts';
import type { TestResponse } from '#tests/support/http-client.ts';
import { signInWith } from '#tests/support/sign-in-desk.ts';
import { testPassword } from '#tests/support/test-app.ts';
import { type ConsoleDesk, openConsoleDesk } from './refusals/console-desk.ts';

const unit = 500_000;
const setup = { username: 'root', password: testPassword, confirmPassword: testPassword };

const calls: Record<NoticeCode, (desk: ConsoleDesk) => Promise<TestResponse>> = {
  setup_finished: (desk) => desk.site({}, (_app, guest) => guest().post('/api/setup', setup)),
  model_ratios_reset: (desk) => desk.root.post('/api/option/rest_model_ratio'),
  user_setting_saved: async (desk) => (await desk.member()).put('/api/user/setting', { notify_type: 'email' }),
  earnings_transferred: async (desk) => (await desk.member({ aff_quota: 2 * unit })).post('/api/user/aff_transfer', { quota: unit }),
  access_token_ended: async (desk) => {
    const member = await desk.member();
    await member.get('/api/user/token');
    return member.put('/api/user/self', { password: 'another-one' });
  },
  bound: async (desk) => signInWith(await desk.member(), 'github'),
  success: async (desk) => (await desk.member()).post('/api/user/amount', { amount: 10 }),
  server_running: (desk) => desk.admin.get('/api/status/test'),
};

describe.each<Language>(['zh', 'en'])('notices in %s', (language) => {
  let desk: ConsoleDesk;
  beforeAll(async () => {
    desk = await openConsoleDesk(language);
  });
  afterAll(() => desk[Symbol.asyncDispose]());

  it.each(Object.keys(notices) as NoticeCode[])('%s', async (code) => {
    expect(await calls[code](desk)).toMatchObject({ status: 200, success: true, message: notices[code][language] });
  });
});
