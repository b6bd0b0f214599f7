// Forms of the key of an AWS channel: an access key with its secret, or an API key of Bedrock; each followed by the region whose host is called. Used
// by the console's form and by the server.

export type AwsKey =
  | { type: 'access_key'; accessKeyId: string; secretAccessKey: string; region: string; sessionToken?: string }
  | { type: 'api_key'; key: string; region: string };

/**
 * `AccessKeyId|SecretAccessKey|Region`, with `|SessionToken` behind it for temporary credentials, or `ApiKey|Region`. Null: it is none of them.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html
 */
export function readAwsKey(text: string): AwsKey | null {
  const parts = text.split('|').map((part) => part.trim());
  if (parts.some((part) => !/^[\x21-\x7e]+$/.test(part))) return null;
  const [first = '', second = '', third = '', sessionToken] = parts;
  if (parts.length === 2) return isRegion(second) ? { type: 'api_key', key: first, region: second } : null;
  if (parts.length < 3 || parts.length > 4 || !isRegion(third) || !/^\w+$/.test(first)) return null;
  const key = { type: 'access_key', accessKeyId: first, secretAccessKey: second, region: third } as const;
  return sessionToken === undefined ? key : { ...key, sessionToken };
}

/** It becomes part of a host's name: `us-east-1`, `us-gov-west-1`. */
function isRegion(text: string): boolean {
  return text.length <= 32 && /^[a-z]{2,4}(?:-[a-z]+)+-\d{1,2}$/.test(text);
}
