// What the server stores in Chinese because clients of other consoles compare it, in the reader's language.
import type { TFunction } from 'i18next';

type Say = (t: TFunction, found: readonly string[]) => string;

const sentences: readonly (readonly [RegExp, Say])[] = [
  [/^余额不足$/, (t) => t('frame.server.no_balance')],
  [/^响应时间 ([\d.]+)s 超过阈值 ([\d.]+)s$/, (t, [, taken = '', bound = '']) => t('frame.server.too_slow', { taken, bound })],
  [/^上游任务超时（超过1小时）$/, (t) => t('frame.server.task_timeout')],
  [/^上游任务超时（超过(\d+)小时）$/, (t, [, hours = '']) => t('frame.server.task_timeout_hours', { hours })],
  [/^上游称已完成，但没有给出视频$/, (t) => t('frame.server.no_video')],
  [/^上游没有说明原因$/, (t) => t('frame.server.no_reason')],
  [/^提交被中断，未扣费$/, (t) => t('frame.server.task_lost')],
  [/^获取渠道信息失败，请联系管理员，渠道ID：(\d+)$/, (t, [, id = '']) => t('frame.server.task_channel', { id })],
  [/^用户分组$/, (t) => t('frame.server.own_group')],
  [/^默认分组$/, (t) => t('frame.server.default_group')],
  // Chat links that earlier versions began with.
  [/^(.+) 官方示例$/, (t, [, name = '']) => t('frame.server.example', { name })],
  [/^AMA 问天$/, (t) => t('frame.server.ama')],
  [/^(s?vip)分组$/, (t, [, name = '']) => t('frame.server.named_group', { name })],
];

/** Any other text comes back as it is. */
export function serverWords(t: TFunction, text: string): string {
  for (const [pattern, say] of sentences) {
    const found = pattern.exec(text);
    if (found !== null) return say(t, found);
  }
  return text;
}
