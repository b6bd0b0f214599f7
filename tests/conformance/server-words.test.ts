// What the server stores in Chinese is known to the console word by word, so that it can say it in English.
import i18next from 'i18next';
import { beforeAll, expect, test } from 'vitest';
import frame from '#pwa/i18n/en/frame.json' with { type: 'json' };
import { serverWords } from '#pwa/ui/server-words.ts';
import usableGroups from '#server/settings/data/usable-groups.json' with { type: 'json' };
import { reasonTexts } from '#shared/failure-reasons.ts';
import { lostReason } from '#server/work/tasks/task-charge.ts';
import { lostChannelReason, timeoutReason } from '#server/work/tasks/follow-task.ts';

beforeAll(() =>
  i18next.init({ lng: 'en', ns: ['frame'], resources: { en: { frame } }, nsSeparator: '.', interpolation: { escapeValue: false } }),
);

const said = (text: string): string => serverWords(i18next.t, text);

test('what the server says in Chinese is English in an English console', () => {
  const groups = Object.values(usableGroups);
  // Chat links that sites of earlier versions have stored.
  const names = ['ChatGPT Next Web 官方示例', 'Lobe Chat 官方示例', 'AI as Workspace', 'AMA 问天', 'OpenCat'];
  for (const text of [
    '余额不足',
    '响应时间 7.20s 超过阈值 5.00s',
    // Of records that earlier versions have stored.
    timeoutReason(3600_000).fail_reason,
    timeoutReason(6 * 3600_000).fail_reason,
    reasonTexts.task_without_video.zh,
    reasonTexts.task_unexplained.zh,
    lostReason.fail_reason,
    lostChannelReason(7).fail_reason,
    '用户分组',
    ...groups,
    ...names,
  ])
    expect(said(text)).toMatch(/^(?!frame)[\x20-\x7e]+$/);
  expect(said('响应时间 7.20s 超过阈值 5.00s')).toBe('Took 7.20 s, more than the threshold of 5.00 s');
});

test('what somebody wrote is left alone', () => {
  for (const text of ['', 'insufficient_quota', '我的分组', '余额不足，请充值']) expect(said(text)).toBe(text);
});
