// Why a channel's JSON text was refused, for people.
import { channelJson, type ChannelJsonField } from '#shared/channel-rules.ts';
import { AppError } from '#shared/errors.ts';
import { fieldSentence } from '#shared/field-rules.ts';
import { wrongField } from '#server/http/input-rule.ts';

const longestEntryName = 80;

/** The refusal of a text that is not what the field holds. An entry is named by its path, as fields within fields are. */
export function wrongJson(field: ChannelJsonField, text: string): AppError {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return new AppError(field === 'model_mapping' ? 'channel_mapping_invalid' : 'channel_json_invalid', { field }, { field });
  }
  const issue = channelJson[field].safeParse(value).error?.issues[0];
  if (issue === undefined) return new AppError('channel_json_invalid', { field }, { field });
  const { path, rule } = wrongField(issue, value);
  return new AppError(
    'invalid_input',
    { detail: fieldSentence(path === '' ? field : `${field}.${path.slice(0, longestEntryName)}`, rule) },
    { field },
  );
}
