// Why a notice was not delivered, in words.
import type { LocalText } from '#shared/errors.ts';
import type { NotificationProblem } from '#shared/notifications.ts';

const problems: Record<NotificationProblem, LocalText> = {
  no_address: { zh: '没有可用的收件地址', en: 'there is no address to send it to' },
  mail_unconfigured: { zh: '本站未配置邮件服务器', en: 'this site has no mail server' },
  mail_sender_invalid: { zh: '本站的发件人地址不正确', en: 'the sender address of this site is wrong' },
  mail_address_invalid: { zh: '收件地址不正确', en: 'the address is not valid' },
  mail_failed: { zh: '邮件服务器未接收', en: 'the mail server did not take it' },
  not_https: { zh: '地址不是 https://', en: 'the address is not https://' },
  private_address: { zh: '地址不在公网上', en: 'the address is not on the public internet' },
  unknown_host: { zh: '找不到该域名', en: 'the host is not known' },
  unreachable: { zh: '无法连接', en: 'no connection could be made' },
  tls: { zh: 'TLS 证书无效或握手失败', en: 'the TLS certificate or handshake failed' },
  timeout: { zh: '对方未在限时内应答', en: 'there was no answer in time' },
  too_large: { zh: '应答过大', en: 'the answer was too large' },
  refused_port: { zh: '该端口不可用于网页', en: 'its port is not one of the web' },
  too_many_redirects: { zh: '重定向次数过多', en: 'there were too many redirects' },
  broken_answer: { zh: '应答不完整', en: 'the answer was broken off' },
  http_status: { zh: '对方应答 HTTP {status}', en: 'the receiver answered HTTP {status}' },
  interrupted: { zh: '发送被中断', en: 'sending was interrupted' },
};

export function problemText(problem: NotificationProblem, status: number | undefined): LocalText {
  const place = /\{status\}/;
  const { zh, en } = problems[problem];
  return { zh: zh.replace(place, String(status ?? '')), en: en.replace(place, String(status ?? '')) };
}
