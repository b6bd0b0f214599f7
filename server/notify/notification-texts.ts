// Texts of notifications in both languages. The zh texts and the order of the values are interface: receivers of webhooks read them.
import { ChannelStatus } from '#shared/channels.ts';
import { type Language, reasonText } from '#shared/errors.ts';
import type { PriceSyncFailure } from '#shared/price-sync.ts';
import type { LimitScope } from '#shared/rate-limits.ts';
import { amountText, quotaText } from '#shared/quota.ts';
import type { NotificationEvent } from '#server/db/records/notification.ts';
import type { Settings } from '#server/settings/settings.ts';
import { siteAddress } from '#server/settings/site-address.ts';

export interface NotificationText {
  type: string;
  title: string;
  /** HTML with `{{value}}` where the values go, one by one. */
  content: string;
  values: string[];
  /** Names and reasons that are in the content: plain text, for the places `{0}`, `{1}`, … of it. */
  inserts: string[];
}

type Texts = Record<Language, { title: string; content: string }>;

const quotaLow: Texts = {
  zh: {
    title: '您的额度即将用尽',
    content: "{{value}}，当前剩余额度为 {{value}}，为了不影响您的使用，请及时充值。<br/>充值链接：<a href='{{value}}'>{{value}}</a>",
  },
  en: {
    title: 'Your quota is running out',
    content: "{{value}}: {{value}} is left. Top up so that your calls continue.<br/>Top up here: <a href='{{value}}'>{{value}}</a>",
  },
};
const organisationLow: Record<Language, string> = {
  zh: '组织「{0}」的额度即将用尽',
  en: 'The quota of the organisation “{0}” is running out',
};
/** Without a link, because the site's address is not set. */
const quotaLowUnlinked: Texts = {
  zh: { title: quotaLow.zh.title, content: '{{value}}，当前剩余额度为 {{value}}，为了不影响您的使用，请及时在控制台的钱包页充值。' },
  en: {
    title: quotaLow.en.title,
    content: '{{value}}: {{value}} is left. Top up in the console, under Wallet, so that your calls continue.',
  },
};
/** The Chinese words of this text and the next are those that other consoles send; every other text says 渠道. */
const channelDisabled: Texts = {
  zh: { title: '通道「{0}」（#{1}）已被禁用', content: '通道「{0}」（#{1}）已被禁用，原因：{2}' },
  en: { title: 'Channel “{0}” (#{1}) was disabled', content: 'Channel “{0}” (#{1}) was disabled, because: {2}' },
};
const channelEnabled: Texts = {
  zh: { title: '通道「{0}」（#{1}）已被启用', content: '通道「{0}」（#{1}）已被启用' },
  en: { title: 'Channel “{0}” (#{1}) was enabled', content: 'Channel “{0}” (#{1}) was enabled' },
};
const limitIgnored: Texts = {
  zh: {
    title: '渠道「{0}」（#{1}）未遵守输出上限',
    content:
      '渠道「{0}」（#{1}）的模型 {2} 输出了 {3} 个 token，超过上限 {4}。用户 {5} 的余额可能不足以支付超出的部分；请检查该渠道，或将其禁用。',
  },
  en: {
    title: 'Channel “{0}” (#{1}) exceeds output limits',
    content:
      'Model {2} of channel “{0}” (#{1}) wrote {3} tokens; the limit was {4}. The balance of user {5} may not cover the excess. Check the channel, or disable it.',
  },
};
const costDrift: Texts = {
  zh: {
    title: '渠道「{0}」（#{1}）的费用与定价不符',
    content:
      '渠道「{0}」（#{1}）的模型 {2} 今天有 {3} 次调用报告了费用：供应商合计 ${4}，按模型定价（不含分组倍率）合计 ${5}。请核对该模型的价格。',
  },
  en: {
    title: 'Costs of channel “{0}” (#{1}) differ from its prices',
    content:
      'Today the provider of channel “{0}” (#{1}) reported ${4} for {3} calls of model {2}; by the model’s price, without the group’s ratio, they cost ${5}. Check the price of the model.',
  },
};
const backupFailed: Texts = {
  zh: { title: '备份失败', content: '备份 {0} 失败，原因：{1}。请在控制台的备份页查看。' },
  en: { title: 'A backup failed', content: 'Backup {0} failed, because: {1}. See Backups in the console.' },
};
const keyRefused: Texts = {
  zh: {
    title: '渠道「{0}」（#{1}）的密钥 …{2} 被拒绝',
    content: '渠道「{0}」（#{1}）的密钥 …{2} 被供应商拒绝，已禁用，其余 {3} 个密钥继续工作。原因：{4}',
  },
  en: {
    title: 'A key of channel “{0}” (#{1}) was refused: …{2}',
    content: 'Key …{2} of channel “{0}” (#{1}) was refused by the provider and is disabled; {3} enabled keys remain. Reason: {4}',
  },
};
const priceReview: Texts = {
  zh: {
    title: '{1} 项价格变更等待审核',
    content: '价格目录 {0} 中 {1} 个模型的价格与本站不同，等待审核：{2}。请在控制台的价格更新页处理。',
  },
  en: {
    title: 'Price changes to review: {1}',
    content: 'The price catalogue {0} has other prices for {1} models, which wait for a review: {2}. See Price updates in the console.',
  },
};
const priceSyncFailed: Texts = {
  zh: { title: '价格同步失败', content: '未能与价格目录 {0} 比对，原因：{1}。请在控制台的价格更新页查看。' },
  en: {
    title: 'A price sync failed',
    content: 'Prices could not be compared with the catalogue {0}, because: {1}. See Price updates in the console.',
  },
};
const syncFailures: Record<PriceSyncFailure, Record<Language, string>> = {
  no_address: { zh: '未设置目录地址', en: 'no address is set' },
  unreachable: { zh: '无法连接', en: 'it cannot be reached' },
  refused_address: { zh: '地址不被允许', en: 'its address is not allowed' },
  timeout: { zh: '响应超时', en: 'it took too long' },
  too_large: { zh: '内容过大', en: 'it is too large' },
  http_status: { zh: 'HTTP 状态', en: 'HTTP status' },
  not_json: { zh: '不是 JSON', en: 'it is not JSON' },
  repeated_name: { zh: '名称重复', en: 'a name is repeated' },
  unknown_format: { zh: '格式未知', en: 'its format is unknown' },
  interrupted: { zh: '进程中断', en: 'its process ended' },
  other: { zh: '内部错误', en: 'an internal error' },
};
const pricePlanChanged: Texts = {
  zh: {
    title: '计划的价格变更未执行',
    content: '{0} 个模型的计划价格变更未执行，因为价格在此期间已被修改：{1}。请在控制台的价格更新页处理。',
  },
  en: {
    title: 'Planned price changes were not applied',
    content:
      'Planned price changes of {0} models were not applied, because their prices were edited since: {1}. See Price updates in the console.',
  },
};
const signInEnded: Texts = {
  zh: {
    title: '渠道「{0}」（#{1}）的登录无法续期',
    content: '渠道「{0}」（#{1}）的登录无法续期，即将失效，原因：{2}。请重新登录，并在该渠道填写新的密钥。',
  },
  en: {
    title: 'The sign-in of channel “{0}” (#{1}) cannot be renewed',
    content:
      'The sign-in of channel “{0}” (#{1}) cannot be renewed and ends soon, because: {2}. Sign in again, and enter the new key in the channel.',
  },
};
const storeUnpaid: Texts = {
  zh: {
    title: '向量库 {0} 的存储费用未能支付',
    content: '您的余额不足以支付向量库 {0}（{1}）的存储费用：它暂时不能使用，并将在 {2}（UTC）之后删除。充值后会自动恢复。',
  },
  en: {
    title: 'The storage of vector store {0} could not be paid',
    content:
      'Your balance does not cover the storage of vector store {0} ({1}): it cannot be used now and will be deleted after {2} (UTC). It is restored as soon as you top up.',
  },
};
const billDrift: Texts = {
  zh: {
    title: '上游账单「{0}」与日志不符',
    content: '上游账户「{0}」{1} 至 {2} 有 {3} 天的账单与日志不符：账单为 ${4}，按日志应为 ${5}。详情见控制台的“上游账单”页。',
  },
  en: {
    title: 'The bill of {0} differs from the log',
    content:
      'The bill of provider account {0} differs from the log on {3} days between {1} and {2}: ${4} billed, ${5} expected. See Provider bills in the console.',
  },
};
const budgetUsed: Texts = {
  zh: { title: '预算“{0}”已使用 {1}%', content: '{2}预算“{0}”已使用 {1}%：{3} / {4}。{5}' },
  en: { title: 'Budget “{0}”: {1}% used', content: '{2}budget “{0}”: {1}% used, {3} of {4}. {5}' },
};
const budgetOf: Record<LimitScope, Record<Language, string>> = {
  token: { zh: '令牌“{0}”的', en: 'Key “{0}”, ' },
  member: { zh: '成员“{0}”的', en: 'Member “{0}”, ' },
  team: { zh: '团队“{0}”的', en: 'Team “{0}”, ' },
  user: { zh: '用户“{0}”的', en: 'User “{0}”, ' },
  site: { zh: '站点的', en: 'Of the site, ' },
};
const budgetResets: Record<Language, string> = { zh: '本期于 {0}（UTC）结束。', en: 'The period ends at {0} (UTC).' };
const channelsTested: Texts = {
  zh: { title: '渠道测试完成', content: '所有渠道测试已完成' },
  en: { title: 'Channel tests have ended', content: 'All channels have been tested' },
};
const trial: Texts = {
  zh: { title: '测试通知', content: '这是一条测试通知，收到它说明通知设置可用。' },
  en: { title: 'Test notice', content: 'This is a test notice. Your notification settings work.' },
};

export function textOf(event: NotificationEvent, language: Language, settings: Settings): NotificationText {
  if (event.code === 'budget_used') return budgetText(event, language, settings);
  switch (event.code) {
    case 'quota_exceed':
      return quotaLowText(event, language, settings);
    case 'channel_update': {
      const { channel_id: id, name, status, reason, why } = event;
      const { title, content } = (status === ChannelStatus.enabled ? channelEnabled : channelDisabled)[language];
      const inserts = [name, String(id), why === undefined ? reason : reasonText(why, language)];
      return { type: `channel_update_${id}_${status}`, title: fill(title, inserts), content, values: [], inserts };
    }
    case 'key_refused': {
      const { channel_id: id, name, ending, remaining, why } = event;
      const { title, content } = keyRefused[language];
      const inserts = [name, String(id), ending, String(remaining), reasonText(why, language)];
      return { type: `key_refused_${id}`, title: fill(title, inserts), content, values: [], inserts };
    }
    case 'limit_ignored': {
      const { channel_id: id, name, model, written, limit, username } = event;
      const { title, content } = limitIgnored[language];
      const inserts = [name, String(id), model, String(written), String(limit), username];
      return { type: `limit_ignored_${id}`, title: fill(title, inserts), content, values: [], inserts };
    }
    case 'cost_drift': {
      const { channel_id: id, name, model, calls, ours, reported } = event;
      const { title, content } = costDrift[language];
      const inserts = [name, String(id), model, String(calls), String(reported), String(ours)];
      return { type: `cost_drift_${id}`, title: fill(title, inserts), content, values: [], inserts };
    }
    case 'store_unpaid': {
      const { title, content } = storeUnpaid[language];
      const at = new Date(event.until * 1000).toISOString().slice(0, 16).replace('T', ' ');
      const inserts = [event.store, event.name, at];
      return { type: event.code, title: fill(title, inserts), content, values: [], inserts };
    }
    case 'backup_failed': {
      const { title, content } = backupFailed[language];
      return { type: 'backup_failed', title, content, values: [], inserts: [event.name, event.reason] };
    }
    case 'price_review':
    case 'price_sync_failed':
    case 'price_plan_changed':
      return priceText(event, language);
    case 'bill_drift':
      return billText(event, language);
    case 'sign_in_ended': {
      const { channel_id: id, name, reason } = event;
      const { title, content } = signInEnded[language];
      const inserts = [name, String(id), reason];
      return { type: `sign_in_ended_${id}`, title: fill(title, inserts), content, values: [], inserts };
    }
    default:
      return plainText(event.code, channelsTested, language);
  }
}

function quotaLowText(
  event: Extract<NotificationEvent, { code: 'quota_exceed' }>,
  language: Language,
  settings: Settings,
): NotificationText {
  const site = siteAddress(settings);
  const { content, title: ofUser } = (site === undefined ? quotaLowUnlinked : quotaLow)[language];
  const title = event.organisation === undefined ? ofUser : fill(organisationLow[language], [event.organisation]);
  const display = { inCurrency: settings.get('DisplayInCurrencyEnabled'), quotaPerUnit: settings.get('QuotaPerUnit') };
  const links = site === undefined ? [] : [`${site}/topup`, `${site}/topup`];
  return { type: event.code, title, content, values: [title, quotaText(event.balance, display), ...links], inserts: [] };
}

function priceText(
  event: Extract<NotificationEvent, { code: 'price_review' | 'price_sync_failed' | 'price_plan_changed' }>,
  language: Language,
): NotificationText {
  if (event.code === 'price_sync_failed') {
    const reason = [syncFailures[event.reason][language], ...(event.detail === '' ? [] : [event.detail])].join(' ');
    return { type: event.code, ...priceSyncFailed[language], values: [], inserts: [event.source, reason] };
  }
  const { title, content } = (event.code === 'price_review' ? priceReview : pricePlanChanged)[language];
  const inserts = [...(event.code === 'price_review' ? [event.source] : []), String(event.count), event.models];
  return { type: event.code, title: fill(title, inserts), content, values: [], inserts };
}

function budgetText(event: Extract<NotificationEvent, { code: 'budget_used' }>, language: Language, settings: Settings): NotificationText {
  const { scope, subject, name, percent, used, amount, ends_at: end } = event;
  const { title, content } = budgetUsed[language];
  const display = { inCurrency: settings.get('DisplayInCurrencyEnabled'), quotaPerUnit: settings.get('QuotaPerUnit') };
  const until = end === 0 ? '' : fill(budgetResets[language], [new Date(end * 1000).toISOString().slice(0, 16).replace('T', ' ')]);
  const of = fill(budgetOf[scope === 'site' && subject !== '' ? 'user' : scope][language], [subject]);
  const inserts = [name, String(percent), of, amountText(used, display), amountText(amount, display), until];
  return { type: `budget_used_${percent}`, title: fill(title, inserts), content, values: [], inserts };
}

function billText(event: Extract<NotificationEvent, { code: 'bill_drift' }>, language: Language): NotificationText {
  const { account_id: id, name, from, to, days, billed, ours } = event;
  const { title, content } = billDrift[language];
  const inserts = [name, from, to, String(days), billed, ours];
  return { type: `bill_drift_${id}`, title: fill(title, inserts), content, values: [], inserts };
}

export function trialText(language: Language): NotificationText {
  return plainText('test', trial, language);
}

/** Text for webhooks: names are filled in unescaped, values are sent apart. */
export function webhookContent({ content, inserts }: NotificationText): string {
  return fill(content, inserts);
}

/** Content of a mail. */
export function mailContent({ content, inserts, values }: NotificationText): { html: string; text: string } {
  const html = fillValues(fill(content, inserts.map(escapeHtml)), values.map(escapeHtml));
  // Values within a tag are numbered as well, and removed with it.
  let index = -1;
  const numbered = content.replace(/\{\{value\}\}/g, () => {
    index += 1;
    return `{v${index}}`;
  });
  const bare = numbered.replace(/<br\/>/g, '\n').replace(/<[^<>]*>/g, '');
  const text = bare.replace(
    /\{(v?)(\d+)\}/g,
    (_whole, kind: string, place: string) => (kind === 'v' ? values : inserts)[Number(place)] ?? '',
  );
  return { html, text };
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function plainText(type: string, texts: Texts, language: Language): NotificationText {
  return { type, ...texts[language], values: [], inserts: [] };
}

function fill(text: string, inserts: readonly string[]): string {
  return text.replace(/(?<!\{)\{(\d)\}(?!\})/g, (_whole, place: string) => inserts[Number(place)] ?? '');
}

function fillValues(text: string, values: readonly string[]): string {
  let index = -1;
  return text.replace(/\{\{value\}\}/g, () => {
    index += 1;
    return values[index] ?? '';
  });
}
