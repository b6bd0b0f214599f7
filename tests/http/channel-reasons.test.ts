// Why a channel failed is stored as a code with its facts, and read in everybody's own language.
import { describe, expect, it } from 'vitest';
import { errors, reasonText } from '#shared/errors.ts';
import { reasonTexts, saidReason } from '#shared/failure-reasons.ts';
import { alertOfChannel } from '#server/notify/notifications.ts';
import { textOf, webhookContent } from '#server/notify/notification-texts.ts';
import { disableChannel } from '#server/exchange/auto-disable.ts';
import { startRun } from '#server/features/channels/channel-runs.ts';
import { useChannelDesk } from '#tests/support/channel-desk.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { until } from '#tests/support/until.ts';

const english = { headers: { 'accept-language': 'en' } };
const chinese = { headers: { 'accept-language': 'zh-CN' } };
const han = /\p{Script=Han}/u;

it('every reason is in both languages, with the same facts', () => {
  for (const { zh, en } of Object.values(reasonTexts)) {
    const names = (text: string) =>
      [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted((one = '', other = '') => one.localeCompare(other));
    expect(names(zh)).toEqual(names(en));
    expect(en).not.toMatch(han);
  }
  expect(reasonText({ code: 'of_a_later_version' }, 'en')).toBe('of_a_later_version');
  expect(reasonText(saidReason('Insufficient {balance}'), 'zh')).toBe('Insufficient {balance}');
});

it('no reason has the code of an error', () => {
  expect(Object.keys(reasonTexts).filter((code) => Object.hasOwn(errors, code))).toEqual([]);
});

describe.each(oneEngine)('reasons of channels on $kind', (engine) => {
  const desk = useChannelDesk(engine);
  const read = async (id: number, as: typeof english) => (await desk.admin.get(`/api/channel/${id}`, as)).data;
  // No server listens there.
  const nowhere = 'http://127.0.0.1:9';

  async function testAll(): Promise<void> {
    await startRun(desk.app.context, 'tests', { actor: null, language: 'zh' });
    await until(async () => (await desk.app.context.db.collection('channel_runs').get('tests'))?.state === 'done', 20_000);
  }

  it('of tests by the clock are read in English and in Chinese, in the list and on Home', async () => {
    const id = await desk.createOne({ base_url: nowhere, models: 'gpt-4o' });
    await testAll();
    expect((await read(id, english)).test_error).toMatch(/^The request to the upstream address failed \(.+\)$/);
    expect((await read(id, chinese)).test_error).toMatch(/^请求上游地址失败 \(.+\)$/);
    const listed = (await desk.admin.get('/api/channel/', english)).data;
    expect(listed).toMatchObject([{ id, test_error: expect.stringContaining('The request to the upstream address failed') }]);
    const failing = async (as: typeof english) => (await desk.admin.get('/api/channel/failing', as)).data[0]?.problem;
    expect(await failing(english)).not.toMatch(han);
    expect(await failing(chinese)).toMatch(han);
  });

  it('of a channel that cannot be used are read so, and several of them together', async () => {
    const { db, secrets } = desk.app.context;
    const id = await desk.createOne({ base_url: nowhere, models: 'gpt-4o' });
    const key_cipher = secrets.encrypt('sk-\u00e9', 'channel_key');
    await db.collection('channels').patch({ id }, { set: { key_cipher, model_mapping: '{a' } });
    await desk.app.context.channels.reload();
    const tested = async (as: typeof english) => (await desk.admin.get(`/api/channel/test/${id}`, as)).message;
    expect(await tested(english)).toBe('The model mapping must be valid JSON; The key has characters that a header cannot carry');
    expect(await tested(chinese)).toBe('模型映射必须是合法的 JSON 格式！；密钥含有请求头不能携带的字符');
    await desk.admin.get(`/api/channel/update_balance/${id}`);
    expect((await read(id, english)).balance_error).toMatch(/^The model mapping/);
    expect((await read(id, chinese)).balance_error).toMatch(/^模型映射/);
    expect((await db.collection('channels').get(id))?.balance_reason).toMatchObject({ code: 'channel_problems' });
    await disableChannel(desk.app.context, id, { code: 'channel_key_form', facts: { forms: { zh: '甲', en: 'of A' } } });
    expect(JSON.parse((await read(id, english)).other_info).status_reason).toBe('The key must have the form of A');
    expect(JSON.parse((await read(id, chinese)).other_info).status_reason).toBe('渠道密钥的格式必须是 甲');
  });

  it('of providers stay in their own words', async () => {
    const id = await desk.createOne({ base_url: desk.upstream.url, models: 'gpt-4o' });
    desk.upstream.behave({ status: 401, error: { message: '密钥无效 {status}', type: 'auth' } });
    await testAll();
    expect((await read(id, english)).test_error).toBe('status code 401: 密钥无效 {status}');
    expect((await read(id, chinese)).test_error).toBe('status code 401: 密钥无效 {status}');
  });

  it('of balances and of a channel that was disabled are read so, too', async () => {
    const id = await desk.createOne({ base_url: nowhere, models: 'gpt-4o', type: 1 });
    await desk.admin.get(`/api/channel/update_balance/${id}`);
    expect((await read(id, english)).balance_error).toMatch(/^The request to the upstream address failed/);
    await disableChannel(desk.app.context, id, { code: 'too_slow', facts: { taken: '7.20', threshold: '5.00' } });
    const reason = async (as: typeof english) => JSON.parse((await read(id, as)).other_info);
    expect(await reason(english)).toEqual({
      status_reason: 'Took 7.20 s, more than the threshold of 5.00 s',
      status_time: expect.any(Number),
    });
    expect((await reason(chinese)).status_reason).toBe('响应时间 7.20s 超过阈值 5.00s');
  });

  it('of earlier versions are read as they were written', async () => {
    const id = await desk.createOne({ models: 'gpt-4o' });
    const info = JSON.stringify({ status_reason: '余额不足', status_time: 5 });
    await desk.app.context.db.collection('channels').patch({ id }, { set: { test_error: '上游响应超时', other_info: info } });
    expect(await read(id, english)).toMatchObject({ test_error: '上游响应超时', other_info: info });
  });

  it('of alerts are written in the language of whoever gets them', async () => {
    const { db, settings } = desk.app.context;
    const root = await desk.app.createUser({ username: 'alerted', role: 100 });
    await alertOfChannel(desk.app.context, { id: 7, name: 'main', status: 3, reason: { code: 'balance_used_up' } });
    const [notice] = await db.collection('notifications').find({ user_id: root.id });
    if (notice === undefined) throw new Error('Nobody was alerted');
    expect(webhookContent(textOf(notice.event, 'en', settings))).toContain('because: The balance is used up');
    expect(webhookContent(textOf(notice.event, 'zh', settings))).toContain('原因：余额不足');
  });
});
