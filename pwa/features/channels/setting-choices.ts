// Choices of the form within a channel's settings, which are JSON that may be edited as text as well.
import { clientGoneChoices } from '#shared/channels.ts';

type ClientGone = (typeof clientGoneChoices)[number];

/** Null: the text cannot be read, so nothing can be chosen. */
export function clientGoneOf(setting: string): ClientGone | null {
  const fields = fieldsOf(setting);
  if (fields === null) return null;
  return clientGoneChoices.find((choice) => choice === fields['on_client_gone']) ?? 'drain';
}

export function withClientGone(setting: string, choice: string): string {
  return withField(setting, 'on_client_gone', choice === 'drain' ? undefined : choice);
}

/** Whether the schedule tests the channel. Null: the text cannot be read. */
export function isTestedAutomatically(setting: string): boolean | null {
  const fields = fieldsOf(setting);
  return fields === null ? null : fields['skip_automatic_tests'] !== true;
}

export function withAutomaticTests(setting: string, isTested: boolean): string {
  return withField(setting, 'skip_automatic_tests', isTested ? undefined : true);
}

function withField(setting: string, name: string, value: string | boolean | undefined): string {
  const { [name]: _, ...rest } = fieldsOf(setting) ?? {};
  const fields = value === undefined ? rest : { ...rest, [name]: value };
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
