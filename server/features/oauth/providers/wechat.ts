// WeChat by way of a WeChat server: the user writes to its account, gets a code, and enters it here.
import { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import { providerFetch } from '#server/accounts/provider-fetch.ts';
import type { AppContext } from '#server/context.ts';
import type { Person } from '../provider.ts';
import { withoutTrailing } from '#shared/trailing.ts';

const Answer = z.object({ success: z.boolean(), message: z.string().default(''), data: z.string().default('') });
const longestDetail = 200;

/** Who wrote to the account and was given the code. @throws {AppError} */
export async function identifyByWeChat({ settings }: AppContext, code: string | undefined): Promise<Person> {
  if (!settings.get('WeChatAuthEnabled')) throw new AppError('wechat_disabled');
  if (code === undefined) throw new AppError('invalid_parameter', {}, { field: 'code' });
  const address = `${withoutTrailing(settings.get('WeChatServerAddress'), '/')}/api/wechat/user?${new URLSearchParams({ code }).toString()}`;
  let answer: z.output<typeof Answer>;
  try {
    const response = await providerFetch(address, { headers: { authorization: settings.get('WeChatServerToken') } });
    answer = Answer.parse(await response.json());
  } catch (cause) {
    throw new AppError('wechat_unreachable', {}, { cause });
  }
  if (!answer.success && answer.message !== '') throw new AppError('wechat_refused', { detail: answer.message.slice(0, longestDetail) });
  if (!answer.success || answer.data === '') throw new AppError('code_wrong', {}, { field: 'code' });
  return { provider: 'wechat', subject: answer.data, shown: answer.data, username: '', displayName: '', email: '' };
}
