import { isObject } from '#server/framing/loose-json.ts';
import type { LogRecord } from '#server/db/records/log.ts';

/** Nothing came, and that was not the upstream's fault. */
const ours: ReadonlySet<unknown> = new Set(['client_closed', 'shutdown', 'unsendable']);

/**
 * What old clients show of a call; ours shows the receipt instead. Not stored: `other` says it all, and a row is a tenth
 * smaller without. `problem`: in place of what the upstream said.
 */
export function callText({ other }: Pick<LogRecord, 'other'>, problem: unknown = other?.['problem']): string {
  if (other === null) return '';
  const price = Number(other['model_price'] ?? -1);
  const ratio = (name: string) => digits(Number(other[name] ?? 0));
  const task = other['task'];
  if (isObject(task)) {
    const of = `模型固定价格 ${digits(price)}，分组倍率 ${ratio('group_ratio')}，操作 ${String(task['action'])}`;
    return task['id'] === '' ? of : `${of}，ID ${String(task['id'])}`;
  }
  const batch = other['batch'];
  if (isObject(batch)) return `批处理 ${String(batch['id'])}：${String(batch['requests'])} 个请求，预先扣除`;
  const tuning = other['tuning'];
  if (isObject(tuning))
    return `微调任务 ${String(tuning['id'])}：${String(tuning['tokens'])} 个 token × ${String(tuning['epochs'])} 轮，预先扣除`;
  const text =
    price >= 0
      ? `模型价格 ${digits(price)}，分组倍率 ${ratio('group_ratio')}`
      : `模型倍率 ${ratio('model_ratio')}，补全倍率 ${ratio('completion_ratio')}，分组倍率 ${ratio('group_ratio')}`;
  if (typeof problem === 'string') return `${text}（${problem}）`;
  const isUsed = other['prompt_source'] !== undefined;
  return isUsed || ours.has(other['ending']) ? text : `${text}（可能是上游超时）`;
}

/** Two decimals, or as many as it takes: a price of less than a cent is none of nothing. */
function digits(value: number): string {
  const cents = value.toFixed(2);
  return Number(cents) === value ? cents : value.toFixed(10).replace(/0+$/, '');
}
