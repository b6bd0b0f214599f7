// `on_client_gone` within a channel's settings, which are JSON that may be edited as text as well.
import { clientGoneChoices } from '#shared/channels.ts';

type ClientGone = (typeof clientGoneChoices)[number];

/** Null: the text cannot be read, so nothing can be chosen. */
export function clientGoneOf(setting: string): ClientGone | null {
  const fields = fieldsOf(setting);
  if (fields === null) return null;
  return clientGoneChoices.find((choice) => choice === fields['on_client_gone']) ?? 'drain';
}

export function withClientGone(setting: string, choice: string): string {
  const { on_client_gone: _, ...rest } = fieldsOf(setting) ?? {};
  const fields = choice === 'drain' ? rest : { ...rest, on_client_gone: choice };
  return Object.keys(fields).length === 0 ? '' : JSON.stringify(fields, null, 2);
}

function fieldsOf(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
